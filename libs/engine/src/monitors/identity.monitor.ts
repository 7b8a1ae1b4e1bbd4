import type { PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import { touchesOf, usesOf } from './calls.ts';
import { anyOf, governed, objector, refusedUnder, witness, type Monitor } from './monitor.ts';
import { tidy } from './places.ts';

const files = objector('context.identity.files');
/** The system text is made of the identity files that the policy names, in their order, and of no others. */
const filesMonitor: Monitor = (turn) =>
  governed(turn, 'ModelCallStarted').flatMap((at, _, calls) => {
    const { made } = at.event.data;
    // The text is made once, at the first model call; what config says later is for the next turn.
    const wanted = (calls[0] ?? at).policy.context.identity.files;
    const given = made?.identity.map(({ path }) => path) ?? [];
    const more = given.find((path) => !wanted.includes(path));
    if (more !== undefined)
      return [files.violated(at, `the system text holds \`${more}\`, which the policy names not`)];
    const left = wanted.find((path) => !given.includes(path));
    return left === undefined
      ? []
      : [files.narrower(at, `the system text was made without \`${left}\``)];
  });

const writable = objector('context.identity.writable');
/** An identity file is changed only where the policy lets it be. */
const writableMonitor: Monitor = (turn) => [
  ...usesOf(turn).flatMap(({ at, policy, operands }) =>
    policy.context.identity.writable
      ? []
      : writesTo(policy, operands).map((path) =>
          writable.violated(at, `\`${path}\` may be written to, and it is an identity file`),
        ),
  ),
  ...touchesOf(turn).flatMap(({ at, start, touched }) =>
    start.policy.context.identity.writable
      ? []
      : touched.flatMap((touch) =>
          touch.kind === 'opened' &&
          touch.access === 'write' &&
          isIdentityFile(start.policy, touch.path)
            ? [writable.violated(at, `the identity file \`${touch.path}\` was written to`)]
            : [],
        ),
  ),
  ...governed(turn, 'ToolCallRefused').flatMap((at) =>
    at.event.data.rule === 'context.identity.writable' && at.policy.context.identity.writable
      ? [writable.narrower(at, 'identity files may be changed')]
      : [],
  ),
];

export const identityMonitors = {
  'context.identity.files': filesMonitor,
  'context.identity.writable': writableMonitor,
};

export const identityWitnesses = {
  'context.identity.files': witness('ModelCallStarted', ({ event }) => {
    const count = event.data.made?.identity.length ?? 0;
    return count > 0 ? `${count} identity files stand in the system text` : null;
  }),
  'context.identity.writable': anyOf(
    refusedUnder('context.identity.writable'),
    witness('ToolCallRefused', ({ event, policy }) => {
      const path = writesTo(policy, event.data.facts.operands)[0];
      return path === undefined ? null : `${path} stayed as it is: an identity file`;
    }),
    witness('ToolCallAuthorized', ({ event, policy }) => {
      const path = writesTo(policy, event.data.facts.operands)[0];
      return path === undefined || !policy.context.identity.writable
        ? null
        : `${path} may be changed, though it is an identity file`;
    }),
  ),
};

/** Whether a path is one of the files whose text stands in the system text. */
export function isIdentityFile(policy: PolicySnapshot, path: string): boolean {
  return policy.context.identity.files.some((file) => tidy(file) === tidy(path));
}

/** The identity files among what a call would write to. */
function writesTo(policy: PolicySnapshot, operands: readonly Operand[]): readonly string[] {
  if (policy.context.identity.files.length === 0) return [];
  return operands.flatMap((operand) => {
    if (operand.kind !== 'path' || operand.access === 'read') return [];
    const path = [operand.real, operand.lexical].find(
      (spelling) => spelling !== null && isIdentityFile(policy, spelling),
    );
    return path === undefined || path === null ? [] : [path];
  });
}
