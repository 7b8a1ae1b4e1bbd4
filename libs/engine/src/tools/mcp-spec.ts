import { effectNames, type PolicySnapshot } from '@lockstep/policy';
import { toolSpecSchema, type ToolSpec } from '../events/parts.ts';
import { aliasOf } from './alias-tools.ts';
import { isDeeper } from './depth.ts';
import { own } from './own.ts';
import { specDigest } from './spec-digest.ts';
import { declaredEffects } from './tool-id.ts';

/** A tool as an MCP server lists it. Its hints and annotations are not read: config alone says what it does. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

export type McpSpecResult =
  | { readonly ok: true; readonly spec: ToolSpec }
  /** A tool that cannot be named or described safely: it does not exist for the agent. */
  | { readonly ok: false; readonly message: string };

/** The spec of an MCP tool: effects, operands and repeatability from the policy; what that leaves out is every effect, undeclared
 * operands, not repeatable. */
export const mcpSpec = (
  server: string,
  listed: ListedTool,
  mcp: PolicySnapshot['mcp'],
): McpSpecResult => {
  const { name } = listed;
  if (!plainName.test(name))
    return { ok: false, message: `the server \`${server}\` lists a tool with an unusable name` };
  const unusable = `the tool \`${name}\` of the server \`${server}\` has no usable schema`;
  if (isDeeper(listed.inputSchema, deepestSchema)) return { ok: false, message: unusable };
  const declared = declaredEffects(mcp, server, name) ?? effectNames;
  const operands = own(mcp.operands, server);
  const spec = {
    id: `mcp:${server}/${name}`,
    description: (listed.description ?? '').toWellFormed(),
    inputSchema: listed.inputSchema,
    effects: effectNames.filter((effect) => declared.includes(effect)),
    operands: (operands === undefined ? undefined : own(operands, name)) ?? ('undeclared' as const),
    repeatable: own(mcp.repeatable, server)?.includes(name) ?? false,
  };
  return parse(spec, unusable);
};

/** What reads a schema recurses into it. */
const deepestSchema = 64;

/** Printable ASCII without blanks: what a person reads in a rule is what the server meant. */
const plainName = /^[\x21-\x7e]{1,128}$/;

const parse = (
  spec: Omit<ToolSpec, 'alias' | 'digest' | 'inputSchema'> & { readonly inputSchema: unknown },
  message: string,
): McpSpecResult => {
  try {
    const parsed = toolSpecSchema.omit({ digest: true, alias: true }).safeParse(spec);
    if (!parsed.success) return { ok: false, message };
    const digest = specDigest(parsed.data);
    return { ok: true, spec: { ...parsed.data, alias: aliasOf(parsed.data.id), digest } };
  } catch {
    // Lone surrogates have no canonical form, and a schema may nest deeper than it can be followed.
    return { ok: false, message };
  }
};
