'use client';

import { Textarea } from '@mantine/core';
import { unifiedDiff } from '@lockstep/engine';
import { Diff } from '../../ui/Diff.tsx';
import { diffLines } from '../../ui/diff.logic.ts';
import { parseArguments } from './edit.logic.ts';
import styles from './approvals.module.css';

/** Other arguments for a call, as JSON, with what they change. */
export const EditArguments = ({
  before,
  text,
  onChange,
  onConfirm,
}: {
  /** The model's; null where they cannot be read here. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onConfirm: () => void;
}) => {
  const parsed = parseArguments(text);
  const after = parsed.ok ? JSON.stringify(parsed.value, null, 2) : null;
  const was = before === null ? null : JSON.stringify(before, null, 2);
  return (
    <>
      <Textarea
        label="Arguments (JSON)"
        description={
          before === null
            ? 'What the model gave cannot be read here: write all of them.'
            : undefined
        }
        autoFocus
        autosize
        minRows={4}
        maxRows={16}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        error={parsed.ok ? undefined : parsed.why}
        value={text}
        onChange={(event) => {
          onChange(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          onConfirm();
        }}
        mb="sm"
      />
      {was === null || after === null || was === after ? null : (
        <div className={styles['change']}>
          <Diff
            label="what the edit changes"
            lines={diffLines(unifiedDiff(`${was}\n`, `${after}\n`))}
          />
        </div>
      )}
    </>
  );
};
