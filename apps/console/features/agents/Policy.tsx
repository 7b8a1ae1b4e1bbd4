'use client';

import { SegmentedControl } from '@mantine/core';
import { plural } from '../../lib/format.ts';
import { withQuery } from '../../lib/query.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Id } from '../../ui/Id.tsx';
import { Failed, Loading } from '../../ui/Notices.tsx';
import { pathColumns } from '../parity/parity.logic.ts';
import { provenanceText } from '../turns/turn-policy.logic.ts';
import { bySurface, type SettingRow } from './agents.logic.ts';
import styles from './agents.module.css';

interface PolicyAnswer {
  readonly path: string;
  readonly trigger: string;
  readonly digest: string;
  readonly config: { readonly version: number; readonly digest: string };
  readonly rows: readonly SettingRow[];
  readonly narrowings: readonly { readonly whose: string; readonly why: string }[];
}

/** The policy that a turn would run under now, on one path. */
export const Policy = ({ alias }: { readonly alias: string }) => {
  const { get, set } = useQueryState();
  const path = get('path') ?? 'gateway';
  return (
    <>
      <div className="filters">
        <SegmentedControl
          size="xs"
          aria-label="path"
          data={[...pathColumns]}
          value={path}
          onChange={(value) => {
            set({ path: value });
          }}
        />
      </div>
      <OnPath key={path} alias={alias} path={path} />
    </>
  );
};

const OnPath = ({ alias, path }: { readonly alias: string; readonly path: string }) => {
  const { resource, reload } = useResource<PolicyAnswer>(
    withQuery(`/v1/agents/${encodeURIComponent(alias)}/policy`, { path }),
    (event) => event.stream === 'config',
  );
  if (resource.kind === 'loading') return <Loading what="the policy" />;
  if (resource.kind === 'failed')
    return resource.code === 'invalid_body' || resource.code === 'forbidden' ? (
      <p className="dim">
        No turn of {alias} can start on <span className="mono">{path}</span>: {resource.message}
      </p>
    ) : (
      <Failed message={resource.message} retry={reload} />
    );
  const policy = resource.value;
  return (
    <>
      <p className="row dim">
        as started by {policy.trigger}, config version {policy.config.version}, policy{' '}
        <Id id={policy.digest} what="policy, its digest" />
      </p>
      <div className="panel scroll" tabIndex={0} role="region" aria-label="settings of the policy">
        <table className={`list ${styles['policy']}`}>
          <thead>
            <tr>
              <th scope="col">setting</th>
              <th scope="col">value</th>
              <th scope="col">from</th>
            </tr>
          </thead>
          {bySurface(policy.rows).map((group) => (
            <tbody key={group.surface}>
              <tr className={styles['surface']}>
                <th colSpan={3} scope="rowgroup">
                  {group.surface}
                  {group.later.length === 0 ? null : (
                    <span className="dim" title={group.later.map(({ key }) => key).join(', ')}>
                      {' '}
                      ({plural(group.later.length, 'setting')} not in this build)
                    </span>
                  )}
                </th>
              </tr>
              {group.rows.map((row) => (
                <tr key={row.key}>
                  <td className="mono" title={row.explain}>
                    {row.key.slice(group.surface.length + 1)}
                  </td>
                  <td className="mono">
                    <Foreign>{row.value}</Foreign>
                  </td>
                  <td className="dim">{provenanceText(row)}</td>
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </div>
      {policy.narrowings.map((one) => (
        <p key={`${one.whose} ${one.why}`} className="dim">
          narrowed by {one.whose}: {one.why}
        </p>
      ))}
    </>
  );
};
