import {
  gateView,
  personOf,
  type OpenSop,
  type SopCommand,
  type SopEffect,
} from '@lockstep/engine';
import { digestOfText, resolve, type PolicySnapshot } from '@lockstep/policy';
import { ownSession } from '../../turns/request-ids.ts';
import type { SopParts } from './sop-parts.ts';

type OpenGate = Extract<SopCommand, { type: 'OpenGate' }>;
type Asked = Extract<SopEffect, { kind: 'open-gate' }>;

type GateApproval =
  | { readonly ok: true; readonly approval: PolicySnapshot['approval'] }
  | { readonly ok: false; readonly message: string };

/** Who may let a step begin, by the policy that the step itself would have now; or why nobody may. */
export const gateApproval = async (
  parts: SopParts,
  state: OpenSop,
  step: Pick<Asked['step'], 'name' | 'agent'>,
): Promise<GateApproval> => {
  const { run, by, parent } = state;
  const origin = { kind: 'sop', run, step: step.name, parent: parent?.turn ?? 'none' } as const;
  const { records } = await parts.records.of(origin, {});
  const resolution = resolve(
    parts.config.current(),
    {
      agent: step.agent,
      principal: by,
      session: ownSession(step.agent, run),
      origin,
      client: 'none',
    },
    records,
  );
  if (!resolution.ok)
    return { ok: false, message: resolution.problems.map(({ message }) => message).join('; ') };
  const { approval } = resolution.policy.parts.snapshot;
  if (approval.route.on_no_approver === 'deny') {
    const message = 'the step asks a person, and `approval.route.on_no_approver` is `deny`';
    return { ok: false, message };
  }
  return { ok: true, approval };
};

/** What the gate before a step is opened with: how long it waits and who is asked follows from the policy that the step itself would
 * have. A step that may not run has no gate, but a reason. */
export const gateFacts = async (
  parts: SopParts,
  state: OpenSop,
  { step, prompt }: Asked,
): Promise<
  | { readonly ok: true; readonly command: OpenGate }
  | { readonly ok: false; readonly message: string }
> => {
  const judged = await gateApproval(parts, state, step);
  if (!judged.ok) return judged;
  const { approval } = judged;
  const { by } = state;
  const now = parts.clock.now();
  const masked = parts.masker.mask(prompt, { formats: true, agent: step.agent }).text;
  const view = gateView({
    sop: state.sop,
    step: step.name,
    agent: step.agent,
    by: by.person ?? `${by.kind}:${by.id}`,
    prompt: masked,
    tools: step.tools,
  });
  const { timeout_secs: seconds } = approval;
  return {
    ok: true,
    command: {
      type: 'OpenGate',
      gate: parts.ids.next(),
      view: { inline: view },
      shown: digestOfText(view),
      deadline: seconds === 'unlimited' ? 'never' : now + seconds * 1000,
      ...askedOf(approval, askerOf(parts, state)),
    },
  };
};

/** Who asked for the run, as calls that wait for a person are told: for a run of a turn whoever asked for the whole tree. */
const askerOf = ({ ledger }: Pick<SopParts, 'ledger'>, { run, by, parent }: OpenSop): string => {
  const asker = parent === null ? undefined : ledger.spending(parent.turn)?.asker;
  // The origin of a run is itself: only whose it is says who stands behind it.
  const origin = { kind: 'sop', run, step: '', parent: 'none' } as const;
  return asker ?? personOf(by) ?? ledger.asker(by, origin);
};

/** Who is asked, how many of them, and who is not. */
const askedOf = (
  approval: PolicySnapshot['approval'],
  asker: string,
): Pick<OpenGate, 'route' | 'required' | 'notBy'> => ({
  route: approval.route.approver,
  required: approval.approvers_required,
  notBy: approval.four_eyes ? asker : null,
});
