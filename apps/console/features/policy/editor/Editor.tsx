'use client';

import { useEffect, useRef } from 'react';
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, StreamLanguage } from '@codemirror/language';
import { json } from '@codemirror/legacy-modes/mode/javascript';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, Transaction, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { assist } from './assist.ts';
import { editorLook } from './look.ts';
import type { Mark } from './problems.logic.ts';
import type { SchemaNode } from './schema.logic.ts';
import styles from './editor.module.css';

export type Format = 'toml' | 'yaml' | 'json';

interface EditorProps {
  readonly label: string;
  readonly format: Format;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly readOnly: boolean;
  readonly schema: SchemaNode | null;
  /** What is wrong, as found in `of`; marks of another text are not drawn. */
  readonly marks: { readonly of: string; readonly found: readonly Mark[] } | null;
  /** Where the cursor is to go; a new object goes there again. */
  readonly goTo: { readonly offset: number } | null;
}

const modes = { toml, yaml, json } as const;

/** A text editor for a config. What the schema knows is offered in TOML alone. */
export const Editor = (props: EditorProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const now = useRef(props);
  useEffect(() => {
    now.current = props;
  });
  const { label, format, text, readOnly, marks, goTo } = props;
  useEffect(() => {
    if (frame.current === null) return;
    const made = new EditorView({
      parent: frame.current,
      state: EditorState.create({
        doc: now.current.text,
        extensions: [
          ...basics(label, format, readOnly),
          ...(format === 'toml' && !readOnly ? [assist(() => now.current.schema)] : []),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some(isFromOutside))
              now.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
  }, [label, format, readOnly]);
  useEffect(() => {
    if (view.current !== null) putText(view.current, text);
  }, [text]);
  useEffect(() => {
    if (view.current !== null) putMarks(view.current, marks);
  }, [marks]);
  useEffect(() => {
    if (view.current === null || goTo === null) return;
    const anchor = Math.min(goTo.offset, view.current.state.doc.length);
    view.current.dispatch({ selection: { anchor }, scrollIntoView: true });
    view.current.focus();
  }, [goTo]);
  return <div ref={frame} className={`panel ${styles['editor']}`} data-editor={format} />;
};

const basics = (label: string, format: Format, readOnly: boolean): readonly Extension[] => [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  lintGutter(),
  StreamLanguage.define(modes[format]),
  // Tab leaves the editor, as it leaves every other field.
  keymap.of([
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...completionKeymap,
    ...lintKeymap,
  ]),
  EditorState.readOnly.of(readOnly),
  EditorState.tabSize.of(2),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({
    'aria-label': label,
    tabindex: '0',
    ...(readOnly ? { 'aria-readonly': 'true' } : {}),
  }),
  editorLook,
];

const isFromOutside = (transaction: Transaction): boolean =>
  transaction.annotation(Transaction.userEvent) === 'outside';

/** A text that came from elsewhere; the cursor stays where it was, as far as there is such a place. */
const putText = (view: EditorView, text: string): void => {
  const { doc, selection } = view.state;
  if (doc.toString() === text) return;
  view.dispatch({
    changes: { from: 0, to: doc.length, insert: text },
    selection: { anchor: Math.min(selection.main.anchor, text.length) },
    userEvent: 'outside',
  });
};

const putMarks = (view: EditorView, marks: EditorProps['marks']): void => {
  if (marks !== null && marks.of !== view.state.doc.toString()) return;
  view.dispatch(setDiagnostics(view.state, [...(marks?.found ?? [])]));
};
