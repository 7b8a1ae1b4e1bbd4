import { whyHighRisk } from './high-risk.ts';
import { readTree, type Node, type TreeReader } from './read-tree.ts';
import type { ShellLine } from './shell-line.ts';

/** Reads lines of shell. Total: whatever the text is, there is an answer. */
export type ShellReader = (line: string) => ShellLine;

let loading: Promise<ShellReader> | null = null;

/** The reader of lines. Its parser is large, so it is loaded when it is first asked for. */
export const loadShellReader = (): Promise<ShellReader> => (loading ??= load());

/** Longest line that is read, in UTF-16 units. */
const longestLine = 8192;

const load = async (): Promise<ShellReader> => {
  // Bundles for a browser read no lines, so they leave the parser out.
  const { default: sh } = await import(
    /* webpackIgnore: true */ /* turbopackIgnore: true */ 'mvdan-sh'
  );
  const { syntax } = sh;
  const reader: TreeReader = { kindOf: (node: Node) => syntax.NodeType(node) };
  return (line) => {
    const strange = whyStrange(line);
    if (strange !== null) return notUnderstood(strange);
    let file: unknown;
    try {
      // A parser keeps what it has read: each line gets one of its own.
      file = syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(line, '');
    } catch (error) {
      return notUnderstood(`it is no line of shell (${whyOf(error)})`);
    }
    return read(reader, file);
  };
};

const read = (reader: TreeReader, file: unknown): ShellLine => {
  const tree = readTree(reader, file);
  if (!tree.ok) return notUnderstood(tree.why);
  const { argvs, redirects, pieces } = tree;
  if (argvs.length === 0) return notUnderstood('it holds no command');
  const moved = argvs.find(([program = '']) => movers.has(program));
  if (moved !== undefined && redirects.some(({ target }) => !target.startsWith('/')))
    return notUnderstood(`a redirect beside \`${moved[0] ?? ''}\` has no fixed place`);
  const risks = argvs.map(whyHighRisk);
  return {
    understood: true,
    commands: argvs.map((argv, i) => ({ argv, highRisk: risks[i] !== null })),
    redirects,
    pieces,
    why: risks.find((risk) => risk !== null) ?? null,
  };
};

const notUnderstood = (why: string): ShellLine => ({ understood: false, why });

/** Builtins of a shell after which a relative path means another place. */
const movers: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd']);

/** Characters on which parsers and shells differ: only tab, newline and blank part words in both. */
const whyStrange = (line: string): string | null => {
  if (line.length > longestLine) return `it is longer than ${longestLine} characters`;
  if (!line.isWellFormed()) return 'it holds half a character';
  return /(?![\t\n])\p{Cc}/u.test(line) ? 'it holds a control character' : null;
};

/** What a parser throws is no Error of ours; its text names the place. */
const whyOf = (error: unknown): string => {
  const text: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'Text') : null;
  return typeof text === 'string' ? text : 'it cannot be parsed';
};
