'use client';

import { useMemo, useState } from 'react';
import { Button, Radio } from '@mantine/core';
import { unifiedDiff } from '@lockstep/engine';
import { plural } from '../../lib/format.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Diff } from '../../ui/Diff.tsx';
import { diffLines } from '../../ui/diff.logic.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { When } from '../../ui/When.tsx';
import { mergedText, mergeTexts, type Draft, type MergePart } from './draft.logic.ts';
import { broughtBy, changesConfig, type ConfigNow, type VersionPage } from './versions.logic.ts';
import styles from './policy.module.css';

type Side = 'mine' | 'theirs' | null;
type Conflict = Extract<MergePart, { kind: 'conflict' }>;

/** A draft whose beginning is no longer in force: what others changed since, what the draft changes, and both together. */
export const ThreeWay = ({
  draft,
  config,
  onTake,
}: {
  readonly draft: Draft;
  readonly config: ConfigNow;
  readonly onTake: (next: Draft | null) => void;
}) => {
  const theirs = config.text ?? '';
  const parts = useMemo(
    () => mergeTexts(draft.base.text, draft.text, theirs),
    [draft.base.text, draft.text, theirs],
  );
  const conflicts = parts.filter((part): part is Conflict => part.kind === 'conflict');
  const [sides, setSides] = useState<readonly Side[]>([]);
  const merged = mergedText(parts, sides);
  const onto = (text: string): void => {
    onTake({
      text,
      base: { version: config.version, digest: config.digest, text: theirs },
      saved: Date.now(),
    });
  };
  return (
    <section
      aria-label="three-way comparison"
      className={`${styles['notice']} ${styles['behind']}`}
      data-conflicts={conflicts.length}
    >
      <p>
        <Since draft={draft} config={config} />
      </p>
      <div className={styles['ways']}>
        <Way title="What they changed" before={draft.base.text} after={theirs} />
        <Way title="What you changed" before={draft.base.text} after={draft.text} />
      </div>
      {conflicts.map((conflict, index) => (
        <Choose
          key={index}
          conflict={conflict}
          side={sides[index] ?? null}
          onSide={(side) => {
            setSides(conflicts.map((_, at) => (at === index ? side : (sides[at] ?? null))));
          }}
        />
      ))}
      <div className="row" style={{ marginTop: '0.75rem' }}>
        <Button
          size="compact-sm"
          disabled={merged === null}
          onClick={() => {
            if (merged !== null) onto(merged);
          }}
        >
          Bring both together
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            onto(draft.text);
          }}
        >
          Keep mine, undo theirs
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            onTake(null);
          }}
        >
          Take theirs, drop mine
        </Button>
        <span className="dim">
          {conflicts.length === 0
            ? 'No line was changed by both.'
            : `${plural(conflicts.length, 'place')} changed by both: choose a side for each.`}
        </span>
      </div>
    </section>
  );
};

const Since = ({ draft, config }: { readonly draft: Draft; readonly config: ConfigNow }) => {
  const { resource } = useResource<VersionPage>('/v1/config/versions', changesConfig);
  const row =
    resource.kind === 'ready'
      ? resource.value.items.find(({ version }) => version === config.version)
      : undefined;
  return (
    <>
      <strong>Version {config.version} is in force</strong>
      {row === undefined ? null : (
        <>
          , brought by <Foreign>{broughtBy(row.by)}</Foreign> <When at={row.time} />
        </>
      )}
      . Your draft began from version {draft.base.version}.
    </>
  );
};

const Way = ({
  title,
  before,
  after,
}: {
  readonly title: string;
  readonly before: string;
  readonly after: string;
}) => {
  const diff = unifiedDiff(before, after);
  return (
    <div>
      <h2>{title}</h2>
      {diff === '' ? (
        <p className="dim">nothing in the text</p>
      ) : (
        <div
          className={`panel ${styles['lines']}`}
          style={{ maxHeight: '16rem' }}
          tabIndex={0}
          role="region"
          aria-label={`${title.toLowerCase()}, line by line`}
        >
          <Diff lines={diffLines(diff)} label={title.toLowerCase()} />
        </div>
      )}
    </div>
  );
};

const Choose = ({
  conflict,
  side,
  onSide,
}: {
  readonly conflict: Conflict;
  readonly side: Side;
  readonly onSide: (side: Side) => void;
}) => (
  <div className={`panel ${styles['conflict']}`}>
    <Radio.Group
      label="Both changed these lines"
      size="xs"
      value={side}
      onChange={(value) => {
        onSide(value === 'mine' ? 'mine' : 'theirs');
      }}
    >
      <div className={styles['ways']} style={{ marginTop: '0.375rem' }}>
        {(['theirs', 'mine'] as const).map((one) => (
          <div key={one}>
            <Radio
              size="xs"
              value={one}
              label={one === 'mine' ? 'as you wrote it' : 'as they wrote it'}
            />
            <pre className="text">{conflict[one] === '' ? '(left out)' : conflict[one]}</pre>
          </div>
        ))}
      </div>
    </Radio.Group>
  </div>
);
