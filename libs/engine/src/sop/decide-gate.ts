import type { DecidedBy } from '../events/parts.ts';
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
  const { by, choice, shown, guidance } = decision;
  if (gate.status !== 'open' || gate.gate !== decision.gate)
    return refuse('not_pending', `gate \`${decision.gate}\` is not pending`);
  if (shown !== gate.shown)
    return refuse('wrong_view', 'what was shown differs from what is asked: load it again');
  if (choice === 'once' && gate.notBy !== null && by.person === gate.notBy)
    return refuse('not_permitted', 'who asked for it may not approve it: somebody else must');
  if (choice === 'once' && gate.votes.some((vote) => isSame(vote, by)))
    return { ok: true, facts: [] };
  const { run } = state;
  const step = currentStep(state)?.name ?? '';
  const vote: SopFact = { type: 'SopGateVoted', data: { run, gate: gate.gate, by, choice } };
  const decided = (outcome: 'granted' | 'denied', why: string): SopFact => ({
    type: 'SopGateDecided',
    data: { run, step, gate: gate.gate, outcome, by, shown, why },
  });
  if (choice === 'deny') {
    const why = guidance ?? `denied by \`${by.person ?? by.principal}\``;
    return {
      ok: true,
      facts: [
        decided('denied', why),
        {
          type: 'SopRunFailed',
          data: { run, code: 'gate_denied', step, message: why, by: by.person ?? by.principal },
        },
      ],
    };
  }
  const granted = decided('granted', `approved by \`${by.person ?? by.principal}\``);
  if (gate.required <= 1) return { ok: true, facts: [granted] };
  return {
    ok: true,
    facts: gate.votes.length + 1 >= gate.required ? [vote, granted] : [vote],
  };
};

/** People are one person on every surface. */
const isSame = (a: DecidedBy, b: DecidedBy): boolean =>
  a.person === null || b.person === null ? a.principal === b.principal : a.person === b.person;

const refuse = (
  code: Extract<SopDecision, { ok: false }>['code'],
  message: string,
): SopDecision => ({ ok: false, code, message });
