import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { hoverTooltip, type EditorView } from '@codemirror/view';
import { choicesAt, explained, type Choice, type SchemaNode } from './schema.logic.ts';
import { pathsIn, placeAt } from './toml-place.logic.ts';

/** Offers what the schema lets stand at the cursor, and says what a key is for. `schema` is null until it is read. */
export const assist = (schema: () => SchemaNode | null): Extension => [
  autocompletion({ override: [(context) => offered(context, schema())], icons: false }),
  hoverTooltip((view, position) => saidAt(view, position, schema())),
];

const opens = /["'.[{]$/;

const offered = (
  context: CompletionContext,
  schema: SchemaNode | null,
): CompletionResult | null => {
  const text = context.state.doc.toString();
  const place = placeAt(text, context.pos);
  if (schema === null || place === null) return null;
  const before = text.slice(0, context.pos);
  if (!context.explicit && place.word === '' && !opens.test(before)) return null;
  const quoted = /^["']/.test(text.slice(place.from, place.to));
  const choices = choicesAt(schema, place, pathsIn(text));
  if (choices.length === 0) return null;
  return { from: place.from + (quoted ? 1 : 0), options: choices.map(completionOf) };
};

const completionOf = (choice: Choice): Completion => ({
  label: choice.label,
  detail: choice.detail,
  ...(choice.info === '' ? {} : { info: choice.info }),
  apply: (view) => {
    write(view, choice);
  },
});

/** Puts a choice in the place of the word at the cursor. A key that has its `=` already gets no second one. */
const write = (view: EditorView, { label, text: chosen }: Choice): void => {
  const text = view.state.doc.toString();
  const cursor = view.state.selection.main.head;
  const place = placeAt(text, cursor);
  if (place === null) return;
  const hasSign = place.kind === 'key' && /^[^\S\n]*=/.test(text.slice(place.to));
  const insert = hasSign ? label : chosen;
  view.dispatch({
    changes: { from: place.from, to: place.to, insert },
    selection: { anchor: place.from + insert.length },
    userEvent: 'input.complete',
  });
};

const saidAt = (view: EditorView, position: number, schema: SchemaNode | null) => {
  const place = placeAt(view.state.doc.toString(), position);
  if (schema === null || place === null || place.from === place.to) return null;
  const path = place.kind === 'value' ? place.path : [...place.path, place.word];
  const said = explained(schema, path);
  if (said === null) return null;
  return {
    pos: place.from,
    end: place.to,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'cm-said';
      dom.textContent = said;
      return { dom };
    },
  };
};
