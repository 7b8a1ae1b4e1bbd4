import { findBuiltinTool } from '@lockstep/policy';
import { parseDocument } from 'yaml';
import { z } from 'zod';

/** What the head of a SKILL.md says. */
export interface FrontMatter {
  readonly name: string;
  readonly description: string;
  /** Patterns on canonical tool ids; null = the skill says nothing of tools. */
  readonly tools: readonly string[] | null;
}

export type ReadFrontMatter =
  | { readonly ok: true; readonly head: FrontMatter; readonly body: string }
  | { readonly ok: false; readonly message: string };

const largestHead = 16 * 1024;

/** The fields of the open Agent Skills format, and no other. */
const headSchema = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens'),
  description: z.string().trim().min(1).max(1024),
  license: z.string().optional(),
  compatibility: z.string().max(500).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  'allowed-tools': z.union([z.string(), z.array(z.string())]).optional(),
});

/** Takes a SKILL.md apart. Strict: what is not understood is a problem, never a guess. */
export const readFrontMatter = (text: string): ReadFrontMatter => {
  const parts = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text);
  if (parts === null) return problem('does not begin with a head between two lines of `---`');
  const [, head = '', body = ''] = parts;
  if (head.length > largestHead) return problem(`has a head longer than ${largestHead} characters`);
  const document = parseDocument(head, { prettyErrors: false });
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong !== undefined) return problem(`has a head that is no plain YAML (${wrong.message})`);
  const read = headSchema.safeParse(plain(document));
  if (!read.success) {
    const [issue] = read.error.issues;
    const at = issue?.path.join('.') ?? '';
    return problem(
      `has a head that cannot be used: ${at === '' ? '' : `\`${at}\`: `}${issue?.message ?? ''}`,
    );
  }
  const { name, description, 'allowed-tools': written } = read.data;
  const tools = written === undefined ? null : listOf(written);
  const foreign = tools?.find((tool) => !isToolPattern(tool));
  if (foreign !== undefined)
    return problem(
      `names the tool \`${foreign}\` in \`allowed-tools\`, which is none of this program`,
    );
  return { ok: true, head: { name, description, tools }, body: body.trim() };
};

const plain = (document: ReturnType<typeof parseDocument>): unknown => {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return null;
  }
};

const listOf = (written: string | readonly string[]): readonly string[] =>
  (typeof written === 'string' ? written.split(/[\s,]+/) : written).filter((tool) => tool !== '');

/** A bare name without a star must be a built-in tool: nothing else could ever be meant. */
const isToolPattern = (tool: string): boolean => {
  if (!/^((builtin|mcp|skill):)?[A-Za-z0-9_*./-]+$/.test(tool)) return false;
  const bare = tool.replace(/^builtin:/, '');
  return bare.includes(':') || bare.includes('*') || findBuiltinTool(`builtin:${bare}`) !== null;
};

const problem = (what: string): ReadFrontMatter => ({ ok: false, message: `its SKILL.md ${what}` });
