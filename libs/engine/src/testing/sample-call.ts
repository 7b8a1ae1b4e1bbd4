import { digestOf, type PolicySnapshot } from '@lockstep/policy';
import type { Facts, Operand, RootsFact, ToolSpec } from '../events/parts.ts';
import type { GateCall, GateState } from '../gate/verdict.ts';
import { builtinSpecs } from '../tools/builtin-specs.ts';

/** A file that the machine found where its text says, inside `samplePolicy`'s world. */
export const samplePath = (
  given: string,
  change: Partial<Extract<Operand, { kind: 'path' }>> = {},
): Operand => {
  const lexical = given.startsWith('/') ? given : `/ws/ada/${given}`;
  const found = { lexical, real: lexical, exists: false, content: null };
  return { kind: 'path', access: 'read', given, ...found, ...change };
};

/** Roots of `samplePolicy` that are their own real paths. */
export const sampleRoots = (change: Partial<RootsFact> = {}): RootsFact => ({
  root: '/ws/ada',
  allowed: [],
  siblings: { bob: '/ws/bob' },
  denied: [],
  ...change,
});

/** Facts of a quiet machine: nothing stopped, nothing used, nothing granted. */
export const sampleFacts = (spec: ToolSpec | null, change: Partial<Facts> = {}): Facts => ({
  now: 1_700_000_000_000,
  config: { version: 1, digest: 'c'.repeat(64) },
  policy: 'd'.repeat(64),
  stopped: false,
  paused: false,
  spec: spec?.digest ?? null,
  confined: false,
  operands: [],
  roots: sampleRoots(),
  caps: [],
  grants: [],
  unsettled: null,
  ...change,
});

/** A call of a tool with parsed arguments. */
export const sampleCall = (spec: ToolSpec, args: unknown): GateCall => ({
  call: 'call-1',
  alias: spec.alias,
  spec,
  args: { ok: true, value: args },
  argsDigest: digestOf(args),
});

/** The state of a turn that was offered these tools and asked nobody yet. */
export const sampleState = (
  policy: PolicySnapshot,
  offered: readonly ToolSpec[],
  change: Partial<GateState> = {},
): GateState => ({
  policy,
  advertised: offered.map((spec) => spec.id),
  skills: [],
  session: 'session-ada-1',
  principal: 'token:ana',
  approval: null,
  ...change,
});

/** A built-in tool by its bare name.
 * @throws when there is none of that name */
export const sampleTool = (name: string): ToolSpec => {
  const found = builtinSpecs.find((spec) => spec.alias === name);
  if (found === undefined) throw new TypeError(`there is no built-in tool \`${name}\``);
  return found;
};
