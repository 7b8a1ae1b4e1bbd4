'use client';

import { useMemo, useState } from 'react';
import { Button, TextInput } from '@mantine/core';
import { plural } from '../lib/format.ts';
import { jsonLines, linesWith } from './json.logic.ts';
import styles from './ui.module.css';

/** JSON, highlighted, with a search and a copy of the whole. */
export const JsonView = ({ value, label }: { readonly value: unknown; readonly label: string }) => {
  const [words, setWords] = useState('');
  const [copied, setCopied] = useState(false);
  const lines = useMemo(() => jsonLines(value), [value]);
  const hits = useMemo(() => new Set(linesWith(lines, words)), [lines, words]);
  return (
    <div>
      <div className="filters">
        <TextInput
          size="xs"
          placeholder="search in the JSON"
          aria-label={`search in ${label}`}
          value={words}
          onChange={(event) => {
            setWords(event.currentTarget.value);
          }}
        />
        <span className="dim" role="status">
          {words === '' ? '' : plural(hits.size, 'line')}
        </span>
        <Button
          className="push"
          size="compact-xs"
          variant="default"
          onClick={() => {
            void navigator.clipboard.writeText(JSON.stringify(value, null, 2)).then(() => {
              setCopied(true);
            });
          }}
        >
          {copied ? 'Copied' : 'Copy JSON'}
        </Button>
      </div>
      <pre className={`${styles['json']} panel`} aria-label={label}>
        {lines.map((tokens, index) => (
          <span key={index} className={hits.has(index) ? styles['hit'] : undefined}>
            {tokens.map((token, at) => (
              <span key={at} className={token.kind === 'plain' ? undefined : styles[token.kind]}>
                {token.text}
              </span>
            ))}
          </span>
        ))}
      </pre>
    </div>
  );
};
