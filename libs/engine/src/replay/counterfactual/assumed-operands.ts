import type { Facts, Operand } from '../../events/parts.ts';
import type { GateCall } from '../../gate/verdict.ts';
import { memoryScopeOf } from '../../context/memory-scope.ts';
import { whyHighRisk } from '../../shell/high-risk.ts';
import { normalPath } from '@lockstep/policy';
import type { DeclaredOperand } from '../../events/parts.ts';
import { operandPointers } from '../../tools/operand-pointers.ts';
import type { OpenTurn } from '../../turn/state.ts';
import { operandUnder, rootsUnder } from './roots-under.ts';
import type { Walk } from './walk.ts';

/** What a call would touch, by its arguments alone: nobody looked, because the recorded policy kept the tool away. Paths are taken as
 * written and to be no links, hosts as public, what is named as there. */
export const assumedOperands = (
  walk: Walk,
  state: OpenTurn,
  { spec, args }: GateCall,
): Pick<Facts, 'operands' | 'roots'> => {
  if (spec === null || !args.ok) return { operands: [], roots: null };
  walk.notes.add(
    `nobody looked at what the call of \`${spec.id}\` touches, because it was kept away: its arguments were taken as written`,
  );
  const declared = typeof spec.operands === 'string' ? [] : spec.operands;
  const whole = declared.filter(({ at }) => at === '').map((one) => ({ declared: one, given: '' }));
  const found = [...whole, ...operandPointers(spec, args.value).found];
  const operands = found.flatMap((one) => assumed(walk, state, { ...one, args: args.value }));
  const paths = operands.some(({ kind }) => kind === 'path');
  return { operands, roots: paths ? rootsUnder(walk, state.policy, null) : null };
};

interface Given {
  readonly declared: DeclaredOperand;
  readonly given: string;
  readonly args: unknown;
}

const assumed = (walk: Walk, state: OpenTurn, of: Given): readonly Operand[] => {
  const { declared, given, args } = of;
  switch (declared.kind) {
    case 'path':
      return [pathAt(state.policy.workspace.root, given, declared.access)];
    case 'url':
      return [operandUnder(walk, state, null, urlOf(given, textAt(args, 'method') ?? 'GET'))];
    case 'command':
      return [commandOf(given)];
    case 'memory':
      return [memoryOf(state, declared.access)];
    case 'agent':
      return [{ kind: 'agent', given, how: declared.how, channel: textAt(args, 'channel') }];
    case 'sop':
      return [{ kind: 'sop', given, exists: true }];
    case 'job':
      return [{ kind: 'job', given, owner: null, fixed: false }];
    case 'skill':
      return [
        { kind: 'skill', given, bundle: state.policy.skills.bundles[0] ?? null, digest: null },
      ];
  }
};

const textAt = (args: unknown, key: string): string | null => {
  if (typeof args !== 'object' || args === null) return null;
  const value: unknown = Reflect.get(args, key);
  return typeof value === 'string' ? value : null;
};

const pathAt = (
  root: string,
  given: string,
  access: Extract<Operand, { kind: 'path' }>['access'],
): Operand => {
  const lexical = normalPath(given.startsWith('/') ? given : `${root}/${given}`);
  const real = given.includes('\0') ? null : lexical;
  return { kind: 'path', access, given, lexical, real, exists: false, content: null };
};

const ports: Readonly<Record<string, number>> = { https: 443, http: 80 };

/** As far as a host and a port can be read without the rules of every scheme. What reads otherwise has no host, and is refused. */
const urlOf = (given: string, method: string): Extract<Operand, { kind: 'url' }> => {
  const [, scheme = '', host = '', port] =
    /^(https?):\/\/([a-z0-9.-]+)(?::(\d{1,5}))?(?:[/?#]|$)/i.exec(given) ?? [];
  const known = scheme.toLowerCase();
  return {
    kind: 'url',
    given,
    scheme: known,
    host: host.toLowerCase(),
    port: port === undefined ? (ports[known] ?? 0) : Number(port),
    method,
    addresses: [],
  };
};

/** Plain words only: everything else would have to be read as a shell reads it. */
const commandOf = (given: string): Operand => {
  const understood = /^[\w./:=,+@%-]+(?: +[\w./:=,+@%-]+)*$/.test(given.trim());
  const argv = given.trim().split(/ +/);
  const why = understood ? whyHighRisk(argv) : 'it was never read, and it is more than plain words';
  return {
    kind: 'command',
    given,
    understood,
    why,
    commands: understood ? [{ argv, highRisk: why !== null }] : [],
    sandboxed: true,
  };
};

const memoryOf = (
  { policy, request }: OpenTurn,
  access: Extract<Operand, { kind: 'memory' }>['access'],
): Operand => {
  const scope = memoryScopeOf(policy, request.principal);
  const agents = access === 'read' && scope !== null ? [...scope.agents] : [policy.agent];
  const person = scope?.person.kind === 'person' ? scope.person.id : null;
  return { kind: 'memory', access, agents, person, row: null };
};
