'use client';

import { useState } from 'react';
import styles from './ui.module.css';

/** A command for a terminal, ready to be copied. */
export const Command = ({ line }: { readonly line: string }) => {
  const [copied, setCopied] = useState(false);
  return (
    <div className={styles['command']}>
      <code>{line}</code>
      <button
        type="button"
        className={styles['copy']}
        aria-label={`copy the command ${line}`}
        onClick={() => {
          void navigator.clipboard.writeText(line).then(() => {
            setCopied(true);
          });
        }}
      >
        {copied ? 'copied' : 'copy'}
      </button>
    </div>
  );
};
