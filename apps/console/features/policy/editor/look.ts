import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const mono = 'var(--mantine-font-family-monospace)';

const frame = EditorView.theme({
  '&': {
    fontSize: '0.8125rem',
    backgroundColor: 'var(--ls-raised)',
    color: 'var(--mantine-color-text)',
    height: '100%',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: mono, lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'color-mix(in srgb, var(--ls-accent) 26%, transparent)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--ls-sunken) 70%, transparent)' },
  '.cm-gutters': {
    backgroundColor: 'var(--ls-raised)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-activeLineGutter': { backgroundColor: 'var(--ls-sunken)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--ls-gap)',
    textUnderlineOffset: '0.2em',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--ls-wait)',
    textUnderlineOffset: '0.2em',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--ls-raised)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--ls-line)',
    borderRadius: '4px',
    maxWidth: 'min(30rem, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: mono, maxHeight: '16rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--ls-held-bg)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-completionDetail': { color: 'var(--mantine-color-dimmed)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionInfo, .cm-said': { padding: '0.375rem 0.625rem', lineHeight: '1.45' },
  '.cm-panels': {
    backgroundColor: 'var(--ls-sunken)',
    color: 'var(--mantine-color-text)',
    borderColor: 'var(--ls-line)',
  },
  '.cm-textfield': {
    backgroundColor: 'var(--ls-raised)',
    border: '1px solid var(--ls-line)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--ls-raised)',
    border: '1px solid var(--ls-line)',
    borderRadius: '3px',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--ls-wait-bg)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--ls-wait)' },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--ls-key)' },
  { tag: tags.string, color: 'var(--ls-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--ls-number)' },
  { tag: tags.atom, color: 'var(--ls-number)', fontWeight: '600' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)' },
  { tag: [tags.bracket, tags.meta], color: 'var(--mantine-color-text)' },
]);

/** How the editor looks, by the colours of the page in either theme. */
export const editorLook: Extension = [frame, syntaxHighlighting(colours)];
