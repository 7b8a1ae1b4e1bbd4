'use client';

import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { useResource } from '../../lib/use-snapshot.ts';
import { useHolds } from '../../lib/session.tsx';
import { Loading } from '../../ui/Notices.tsx';
import { ApplyDraft } from './ApplyDraft.tsx';
import { CheckView } from './CheckView.tsx';
import { DraftHead } from './DraftHead.tsx';
import { ThreeWay } from './ThreeWay.tsx';
import { draftState, type Draft } from './draft.logic.ts';
import type { Format } from './editor/Editor.tsx';
import { marksOf, offsetIn } from './editor/problems.logic.ts';
import type { SchemaNode } from './editor/schema.logic.ts';
import { useCheck } from './use-check.ts';
import { useDraft } from './use-draft.ts';
import type { ConfigNow } from './versions.logic.ts';
import styles from './policy.module.css';

const Editor = dynamic(() => import('./editor/Editor.tsx').then((module) => module.Editor), {
  ssr: false,
  loading: () => <Loading what="the editor" />,
});

/** The editor with what the daemon finds in the draft, what the draft would change, and the way into force. */
export const DraftDesk = ({ config }: { readonly config: ConfigNow }) => {
  const may = useHolds('operator');
  const { draft, write, kept } = useDraft(config.file);
  const schema = useResource<SchemaNode>('/v1/config/schema', () => false).resource;
  const [goTo, setGoTo] = useState<{ readonly offset: number } | null>(null);
  const text = draft?.text ?? config.text ?? '';
  const checked = useCheck(may ? text : null);
  const state = draftState(draft, config.digest);
  const marks = useMemo(() => {
    if (checked?.answer == null) return null;
    return { of: checked.of, found: marksOf(checked.of, checked.answer) };
  }, [checked]);
  const change = (next: string): void => {
    write(changed(draft, config, next));
  };
  return (
    <>
      <DraftHead config={config} draft={draft} state={state} kept={kept} write={write} />
      {state === 'behind' && draft !== null ? (
        <ThreeWay draft={draft} config={config} onTake={write} />
      ) : null}
      <div className={styles['work']}>
        <Editor
          label="config text"
          format={formatOf(config.file)}
          text={text}
          onChange={change}
          readOnly={!may}
          schema={schema.kind === 'ready' ? schema.value : null}
          marks={marks}
          goTo={goTo}
        />
        <div className={styles['side']}>
          {may ? (
            <>
              <CheckView
                checked={checked}
                pending={checked?.of !== text}
                inForce={config.digest}
                onGo={(problem) => {
                  setGoTo({ offset: offsetIn(text, problem) });
                }}
              />
              <ApplyDraft
                config={config}
                draft={draft}
                state={state}
                answer={checked?.of === text ? checked.answer : null}
                write={write}
              />
            </>
          ) : (
            <p className="dim">
              You may read the config. An operator drafts a change, has it checked and applies it.
            </p>
          )}
        </div>
      </div>
    </>
  );
};

/** The draft after an edit; the first edit begins one from what is in force. */
const changed = (draft: Draft | null, config: ConfigNow, text: string): Draft => ({
  text,
  base: draft?.base ?? {
    version: config.version,
    digest: config.digest,
    text: config.text ?? '',
  },
  saved: Date.now(),
});

const formatOf = (file: string): Format => {
  if (/\.ya?ml$/i.test(file)) return 'yaml';
  return /\.json$/i.test(file) ? 'json' : 'toml';
};
