import { builtinTools } from '../../builtin-tools.ts';
import { matchesPattern, normalizeToolPattern } from '../../patterns.ts';
import { didYouMean, nearestName } from '../nearest.ts';
import type { ConfigProblemCode } from '../problem.ts';

/** The tools that a pattern of this config could ever meet. */
export interface KnownTools {
  /** Servers by alias, each with the tools that config names. */
  readonly servers: ReadonlyMap<string, readonly string[]>;
}

export interface PatternMiss {
  readonly code: ConfigProblemCode;
  readonly message: string;
}

/** What is wrong with the spelling of a tool pattern, allowing or denying alike; null when nothing is. */
export const misspelt = (pattern: string): PatternMiss | null => {
  if (/[\s\p{C}]/u.test(pattern))
    return { code: 'invalid_value', message: 'a tool pattern holds no spaces' };
  if (pattern.includes('**'))
    return { code: 'invalid_value', message: `\`${pattern}\` has two stars in a row, write one` };
  if (/^(builtin|mcp|skill)?:?$/.test(pattern) || pattern.startsWith(':'))
    return { code: 'invalid_value', message: `\`${pattern}\` names no tool` };
  return null;
};

/** Why a tool pattern can meet no tool of this config; null when it may. Which tools a server has is known only once it is
 * connected, which scripts a skill has only once its folder is read. */
export const matchesNothing = (pattern: string, known: KnownTools): PatternMiss | null => {
  const id = normalizeToolPattern(pattern);
  if (builtinTools.some((tool) => matchesPattern(id, tool.id))) return null;
  if ([...known.servers.keys()].some((alias) => mayStartWith(id, `mcp:${alias}/`))) return null;
  if (mayStartWith(id, 'skill:')) return null;
  if (id.startsWith('mcp:')) return noServer(pattern, id, known);
  if (id.startsWith('builtin:')) return noBuiltin(pattern, known);
  const source = id.slice(0, id.indexOf(':'));
  const near = didYouMean(source, ['builtin', 'mcp', 'skill']);
  return {
    code: 'unknown_name',
    message: `\`${pattern}\` has the unknown source \`${source}\`${near}`,
  };
};

/** Whether some text that begins with `prefix` and goes on fits the pattern. */
export const mayStartWith = (pattern: string, prefix: string): boolean => {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern.startsWith(prefix) && pattern.length > prefix.length;
  const head = pattern.slice(0, star);
  return head.startsWith(prefix) || prefix.startsWith(head);
};

/** Whether two patterns may have an id in common, judged by what stands before their first and after their last star. */
export const mayOverlap = (a: string, b: string): boolean => {
  if (!a.includes('*')) return matchesPattern(b, a);
  if (!b.includes('*')) return matchesPattern(a, b);
  const [headA, headB] = [a.slice(0, a.indexOf('*')), b.slice(0, b.indexOf('*'))];
  const [tailA, tailB] = [a.slice(a.lastIndexOf('*') + 1), b.slice(b.lastIndexOf('*') + 1)];
  return (
    (headA.startsWith(headB) || headB.startsWith(headA)) &&
    (tailA.endsWith(tailB) || tailB.endsWith(tailA))
  );
};

const noServer = (pattern: string, id: string, known: KnownTools): PatternMiss => {
  const [server = '', tool] = id.slice('mcp:'.length).split('/', 2);
  const aliases = [...known.servers.keys()];
  if (aliases.includes(server))
    return { code: 'invalid_value', message: `\`${pattern}\` names no tool, write \`${id}/*\`` };
  const near = nearestName(server, aliases);
  const meant = near === null ? '' : `, did you mean \`mcp:${near}/${tool ?? '*'}\`?`;
  return {
    code: 'unknown_name',
    message: `\`${pattern}\` names the unknown MCP server \`${server}\`${meant}`,
  };
};

const noBuiltin = (pattern: string, known: KnownTools): PatternMiss => {
  const name = pattern.replace(/^builtin:/, '');
  const declared = [...known.servers].find(([, tools]) => tools.includes(name));
  const names = builtinTools.map((tool) => tool.id.slice('builtin:'.length));
  const meant =
    declared === undefined
      ? didYouMean(name, [...names, 'file_*'])
      : `, did you mean \`mcp:${declared[0]}/${name}\`?`;
  return { code: 'matches_nothing', message: `\`${pattern}\` matches no built-in tool${meant}` };
};
