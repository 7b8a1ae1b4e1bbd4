import type { DecidedBy } from '../events/parts.ts';
import { isNamed, whyNoVote } from '../gate/approver.ts';
import type { SopDecision } from './decide-sop.ts';
import { currentStep } from './next-sop-effect.ts';
import type { OpenSop, SopFact } from './state.ts';

/** A person's word about a gate. */
export interface GateDecision {
  readonly gate: string;
  readonly by: DecidedBy;
  readonly choice: 'once' | 'deny';
  /** Digest of the view that the person saw. */
  readonly shown: string;
  readonly guidance: string | null;
}

/** One denial ends the run; a grant counts once as many different people gave it as are required. */
export const decideGate = (decision: GateDecision, state: OpenSop): SopDecision => {
  const { gate } = state;
  const { by, choice, shown } = decision;
  if (gate.status !== 'open' || gate.gate !== decision.gate)
    return refuse('not_pending', `gate \`${decision.gate}\` is not pending`);
  if (shown !== gate.shown)
    return refuse('wrong_view', 'what was shown differs from what is asked: load it again');
  if (choice === 'deny') return { ok: true, facts: denied(decision, state) };
  if (gate.notBy !== null && isNamed(by, gate.notBy))
    return refuse('not_permitted', 'who asked for it may not approve it: somebody else must');
  const nobody = whyNoVote(gate, by);
  if (nobody !== null) return refuse('not_permitted', nobody);
  if (gate.votes.some((vote) => isSame(vote, by))) return { ok: true, facts: [] };
  const vote: SopFact = {
    type: 'SopGateVoted',
    data: { run: state.run, gate: gate.gate, by, choice },
  };
  const granted = decided(decision, state, {
    outcome: 'granted',
    why: `approved by \`${nameOf(by)}\``,
  });
  if (gate.required <= 1) return { ok: true, facts: [granted] };
  return { ok: true, facts: gate.votes.length + 1 >= gate.required ? [vote, granted] : [vote] };
};

const denied = (decision: GateDecision, state: OpenSop): readonly SopFact[] => {
  const by = nameOf(decision.by);
  const why = decision.guidance ?? `denied by \`${by}\``;
  const step = stepOf(state);
  return [
    decided(decision, state, { outcome: 'denied', why }),
    {
      type: 'SopRunFailed',
      data: { run: state.run, code: 'gate_denied', step, message: why, by },
    },
  ];
};

const decided = (
  { gate, by, shown }: GateDecision,
  state: OpenSop,
  { outcome, why }: { readonly outcome: 'granted' | 'denied'; readonly why: string },
): SopFact => ({
  type: 'SopGateDecided',
  data: { run: state.run, step: stepOf(state), gate, outcome, by, shown, why },
});

const stepOf = (state: OpenSop): string => currentStep(state)?.name ?? '';
const nameOf = ({ person, principal }: DecidedBy): string => person ?? principal;

/** People are one person on every surface. */
const isSame = (a: DecidedBy, b: DecidedBy): boolean =>
  a.person === null || b.person === null ? a.principal === b.principal : a.person === b.person;

const refuse = (
  code: Extract<SopDecision, { ok: false }>['code'],
  message: string,
): SopDecision => ({ ok: false, code, message });
