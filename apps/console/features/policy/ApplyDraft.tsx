'use client';

import { useState } from 'react';
import { Button } from '@mantine/core';
import { ApiProblem, messageOf, sendJson } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import type { Draft, DraftState } from './draft.logic.ts';
import type { CheckAnswer } from './editor/problems.logic.ts';
import type { ConfigNow } from './versions.logic.ts';
import styles from './policy.module.css';

interface ApplyProps {
  readonly config: ConfigNow;
  readonly draft: Draft | null;
  readonly state: DraftState;
  /** Of the draft as it stands; null while it is not known. */
  readonly answer: CheckAnswer | null;
  readonly write: (next: Draft | null) => void;
}

/** Brings a draft into force, on the second press. It is taken only over the config that it began from. */
export const ApplyDraft = ({ config, draft, state, answer, write }: ApplyProps) => {
  const [sure, setSure] = useState(false);
  const [said, setSaid] = useState<{ readonly ok: boolean; readonly text: string } | null>(null);
  const apply = async ({ text, base }: Draft): Promise<void> => {
    setSure(false);
    try {
      const applied = await sendJson<{ readonly version: number }>(
        'PUT',
        '/v1/config',
        { text },
        { 'if-match': `"${base.digest}"` },
      );
      write(null);
      setSaid({ ok: true, text: `Version ${applied?.version ?? ''} is in force.` });
    } catch (error) {
      setSaid({ ok: false, text: refusalOf(error) });
    }
  };
  const hindrance = hindranceOf(state, answer, config.digest);
  return (
    <section aria-label="apply">
      <h2>Into force</h2>
      {said === null ? null : (
        <p role={said.ok ? 'status' : 'alert'} className={styles['notice']} data-applied={said.ok}>
          {said.text}
        </p>
      )}
      {sure && draft !== null && answer !== null && hindrance === null ? (
        <div className={styles['confirm']}>
          <p>
            {widenedText(answer)} The next turns run under it; what runs now keeps its policy where
            that is narrower.
          </p>
          <span className="row">
            <Button size="compact-sm" autoFocus onClick={() => void apply(draft)}>
              Apply as version {config.version + 1}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                setSure(false);
              }}
            >
              Back
            </Button>
          </span>
        </div>
      ) : (
        <span className="row">
          <Button
            size="compact-sm"
            disabled={hindrance !== null}
            onClick={() => {
              setSaid(null);
              setSure(true);
            }}
          >
            Apply …
          </Button>
          {hindrance === null ? null : <span className="dim">{hindrance}</span>}
        </span>
      )}
      <details style={{ marginTop: '0.75rem' }}>
        <summary className="dim">What this does not reach</summary>
        <p className="dim" style={{ margin: '0.375rem 0 0' }}>
          Applying replaces this one file on the daemon&apos;s machine. Scripts, skills and other
          files that it names, and environment variables that hold secrets, are changed there by
          hand. The address that the daemon listens at ([gateway]) and its store ([store]) are read
          at its start: a change of them waits for the next one.
        </p>
      </details>
    </section>
  );
};

const widenedText = ({ diff, widens }: CheckAnswer): string => {
  const changed = `${plural(diff.length, 'value')} changed`;
  if (widens.length === 0) return `${changed}; nothing is granted that was not before.`;
  return `${changed}; more is granted at ${widens.join(', ')}.`;
};

/** Why a draft cannot be applied now; null when it can. */
const hindranceOf = (
  state: DraftState,
  answer: CheckAnswer | null,
  inForce: string,
): string | null => {
  if (state === 'none' || state === 'unchanged') return 'there is no change to apply';
  if (state === 'behind') return 'bring your draft onto the version in force first, see above';
  if (answer === null) return 'it is being checked';
  if (!answer.ok) return 'mend the problems first';
  return answer.digest === inForce ? 'it means what is in force already' : null;
};

const refusalOf = (error: unknown): string => {
  if (!(error instanceof ApiProblem)) return messageOf(error);
  if (error.code === 'config_changed')
    return 'Not applied: somebody else brought another version into force. Your draft is still here; see above what they changed.';
  if (error.code === 'internal')
    return 'Not applied: the daemon could not write its config file, its log says why. Copy the draft and write the file by hand.';
  return `Not applied: ${error.message}`;
};
