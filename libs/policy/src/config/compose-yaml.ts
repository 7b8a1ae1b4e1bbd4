import {
  Composer,
  Parser,
  YAMLParseError,
  type CST,
  type Document,
  type LineCounter,
  type ParsedNode,
  type ParseOptions,
  type DocumentOptions,
  type SchemaOptions,
} from 'yaml';

type Options = ParseOptions & DocumentOptions & SchemaOptions;

/** The document of a YAML text, its errors and warnings in it; null when it nests deeper than `most`. A text that is too deep is
 * found out before anything recurses into it: near the end of the stack a regular expression that is compiled ends the process. */
export const composeYaml = (
  text: string,
  { lines, most, ...options }: Options & { readonly lines: LineCounter; readonly most: number },
): Document.Parsed | null => {
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  if (isDeeper(tokens, most)) return null;
  const composer = new Composer<ParsedNode>({ ...options, lineCounter: lines });
  const [first, second] = [...composer.compose(tokens, true, text.length)];
  if (first === undefined) return null;
  if (second !== undefined) {
    const [from, to] = second.range;
    first.errors.push(
      new YAMLParseError([from, to], 'MULTIPLE_DOCS', 'the text holds several documents'),
    );
  }
  return first;
};

/** Level by level, so that the depth of the text costs no stack. */
const isDeeper = (tokens: readonly CST.Token[], most: number): boolean => {
  let level = tokens;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap(inner);
  }
  return false;
};

const inner = (token: CST.Token): readonly CST.Token[] => {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat());
};
