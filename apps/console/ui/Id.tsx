'use client';

import { useState } from 'react';
import { Tooltip } from '@mantine/core';
import { shortId } from '../lib/format.ts';
import styles from './ui.module.css';

/** An id, shown short; a click copies it whole. */
export const Id = ({ id, what }: { readonly id: string; readonly what: string }) => {
  const [copied, setCopied] = useState(false);
  return (
    <Tooltip label={copied ? 'copied' : id} position="bottom-start">
      <button
        type="button"
        className={styles['id']}
        aria-label={`${shortId(id)}: copy the id of the ${what}`}
        onClick={() => {
          void navigator.clipboard.writeText(id).then(() => {
            setCopied(true);
          });
        }}
        onMouseLeave={() => {
          setCopied(false);
        }}
      >
        {shortId(id)}
      </button>
    </Tooltip>
  );
};
