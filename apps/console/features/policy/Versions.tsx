'use client';

import { useId } from 'react';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Diff } from '../../ui/Diff.tsx';
import { Foreign } from '../../ui/Foreign.tsx';
import { Id } from '../../ui/Id.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { When } from '../../ui/When.tsx';
import {
  broughtBy,
  changesConfig,
  comparedVersions,
  configDiff,
  type ConfigVersion,
  type VersionPage,
  type VersionRow,
} from './versions.logic.ts';
import styles from './policy.module.css';

interface Compared {
  readonly from: number;
  readonly to: number;
}

/** Every version that was in force, and what differs between any two. */
export const Versions = () => {
  const { get } = useQueryState();
  const { resource, reload } = useResource<VersionPage>('/v1/config/versions', changesConfig);
  if (resource.kind === 'loading') return <Loading what="the versions" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const { items } = resource.value;
  const compared = comparedVersions(items, get('from'), get('to'));
  if (compared === null)
    return (
      <Empty title="No version is recorded">
        <p>The daemon looks at a log that takes no events, or the log is empty.</p>
      </Empty>
    );
  return (
    <>
      <VersionTable rows={items} compared={compared} />
      <Difference key={`${compared.from} ${compared.to}`} compared={compared} />
    </>
  );
};

const VersionTable = ({
  rows,
  compared,
}: {
  readonly rows: readonly VersionRow[];
  readonly compared: Compared;
}) => (
  <div
    className={`panel scroll ${styles['versions']}`}
    role="region"
    aria-label="versions"
    tabIndex={0}
  >
    <table className="list">
      <thead>
        <tr>
          <th scope="col">from</th>
          <th scope="col">to</th>
          <th scope="col">version</th>
          <th scope="col">in force since</th>
          <th scope="col">brought by</th>
          <th scope="col">grants more at</th>
          <th scope="col">digest</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.version} data-version={row.version}>
            <td>
              <Pick side="from" row={row} compared={compared} />
            </td>
            <td>
              <Pick side="to" row={row} compared={compared} />
            </td>
            <td className="mono">{row.version}</td>
            <td className="whole">
              <When at={row.time} />
            </td>
            <td>
              <Foreign>{broughtBy(row.by)}</Foreign>
            </td>
            <td>
              <Widened keys={row.widens} />
            </td>
            <td>
              <Id id={row.digest} what="config, its digest" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Pick = ({
  side,
  row: { version },
  compared,
}: {
  readonly side: keyof Compared;
  readonly row: VersionRow;
  readonly compared: Compared;
}) => {
  const { set } = useQueryState();
  const name = useId();
  return (
    <input
      type="radio"
      // One group a column: the group is named by its side, and the page has one of each.
      name={`version-${side}`}
      id={name}
      aria-label={`compare ${side} version ${version}`}
      checked={compared[side] === version}
      onChange={() => {
        set({ [side]: String(version) });
      }}
    />
  );
};

/** The keys at which a config grants more than the one before it. */
export const Widened = ({ keys }: { readonly keys: readonly string[] }) => {
  if (keys.length === 0) return <span className="dim">nothing</span>;
  const [first, ...rest] = keys;
  return (
    <span className={styles['widened']} title={keys.join('\n')}>
      <Foreign className="mono">{first ?? ''}</Foreign>
      {rest.length === 0 ? null : ` and ${rest.length} more`}
    </span>
  );
};

const nothing = 0;

const Difference = ({ compared: { from, to } }: { readonly compared: Compared }) => {
  const before = useVersion(from);
  const after = useVersion(to);
  const label = from === nothing ? `all of version ${to}` : `version ${from} to version ${to}`;
  return (
    <section aria-label="difference" className={styles['difference']}>
      <h2>{from === nothing ? `All of version ${to}, the first` : `Version ${from} to ${to}`}</h2>
      {[before, after].map(({ resource, reload }, index) => {
        if (resource.kind === 'loading') return <Loading key={index} what="the version" />;
        if (resource.kind !== 'failed') return null;
        return resource.code === 'forbidden' ? (
          <p key={index} className="dim">
            What stands in a version is shown to auditors and operators.
          </p>
        ) : (
          <Failed key={index} message={resource.message} retry={reload} />
        );
      })}
      {before.resource.kind === 'ready' && after.resource.kind === 'ready' ? (
        <Lines
          before={before.resource.value.config}
          after={after.resource.value.config}
          label={label}
        />
      ) : null}
    </section>
  );
};

const Lines = ({
  before,
  after,
  label,
}: {
  readonly before: unknown;
  readonly after: unknown;
  readonly label: string;
}) => {
  const lines = configDiff(before, after);
  return lines.length === 0 ? (
    <p className="dim">Both say the same.</p>
  ) : (
    <>
      <p className="dim">One value a line, with the defaults that the file leaves out.</p>
      <div
        className={`panel ${styles['lines']}`}
        tabIndex={0}
        role="region"
        aria-label="changed lines"
      >
        <Diff lines={lines} label={label} />
      </div>
    </>
  );
};

type Read = ReturnType<
  typeof useResource<Pick<ConfigVersion, 'config'> | { readonly config: null }>
>;

const useVersion = (version: number): Read => {
  const read = useResource<ConfigVersion>(
    version === nothing ? null : `/v1/config/versions/${version}`,
    () => false,
  );
  return version === nothing
    ? { ...read, resource: { kind: 'ready', value: { config: null } }, change: () => undefined }
    : { resource: read.resource, reload: read.reload, change: () => undefined };
};
