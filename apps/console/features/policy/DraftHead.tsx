'use client';

import Link from 'next/link';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { When } from '../../ui/When.tsx';
import type { Draft, DraftState } from './draft.logic.ts';
import type { ConfigNow } from './versions.logic.ts';
import styles from './policy.module.css';

/** Which file it is, what the draft began from, and the way to be rid of it. */
export const DraftHead = ({
  config,
  draft,
  state,
  kept,
  write,
}: {
  readonly config: ConfigNow;
  readonly draft: Draft | null;
  readonly state: DraftState;
  readonly kept: boolean;
  readonly write: (next: Draft | null) => void;
}) => (
  <>
    <div className="row" style={{ marginBottom: '0.625rem' }} data-draft={state}>
      <span className="mono" style={{ overflowWrap: 'anywhere' }}>
        {config.file}
      </span>
      <span className="dim">version {config.version} in force</span>
      {draft === null ? null : (
        <span>
          your draft of version {draft.base.version}, <When at={draft.saved} />
        </span>
      )}
      <span className="push row">
        {draft === null ? null : (
          <>
            <Link href="/policy?tab=backtest&config=draft">Backtest the draft</Link>
            <Discard write={write} />
          </>
        )}
      </span>
    </div>
    {kept ? null : (
      <p role="alert" className={`${styles['notice']} ${styles['behind']}`}>
        This browser does not keep the draft: copy it before you leave the page.
      </p>
    )}
    {config.text === null ? (
      <p role="alert" className={`${styles['notice']} ${styles['behind']}`}>
        The daemon cannot read its config file now. What is in force stays in force; applying a
        draft writes the file anew.
      </p>
    ) : null}
  </>
);

const Discard = ({ write }: { readonly write: (next: Draft | null) => void }) => {
  const [sure, setSure] = useState(false);
  return (
    <Button
      size="compact-sm"
      variant={sure ? 'filled' : 'default'}
      color={sure ? 'red.9' : undefined}
      onClick={() => {
        if (sure) write(null);
        setSure(!sure);
      }}
      onBlur={() => {
        setSure(false);
      }}
    >
      {sure ? 'Throw it away: sure?' : 'Throw the draft away'}
    </Button>
  );
};
