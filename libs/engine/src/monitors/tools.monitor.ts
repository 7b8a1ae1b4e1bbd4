import type { PolicySnapshot } from '@lockstep/policy';
import { usesOf } from './calls.ts';
import { toolAllowed, toolDenied } from './matcher.ts';
import {
  anyOf,
  governed,
  objector,
  refusedUnder,
  witness,
  type Governed,
  type Monitor,
} from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { onlyReads } from './tool-facts.ts';

const allowed = objector('tools.allowed');
const denied = objector('tools.denied');

/** Every tool that was offered, let through or started is named by `tools.allowed`; none that it names was withheld. */
const allowedMonitor: Monitor = (turn) => [
  ...used(turn)
    .filter(({ policy, tool }) => !toolAllowed(policy.tools.allowed, tool))
    .map(({ at, tool }) => allowed.violated(at, `\`${tool}\` is not allowed, and was not refused`)),
  ...governed(turn, 'ToolCallRefused')
    .filter((at) => refusedWrongly(turn, at))
    .map((at) => allowed.narrower(at, `\`${at.event.data.tool ?? ''}\` is allowed`)),
];

/** No tool that `tools.denied` names was offered, let through or started; nothing else was refused for it. */
const deniedMonitor: Monitor = (turn) => [
  ...used(turn)
    .filter(({ policy, tool }) => toolDenied(policy.tools.denied, tool))
    .map(({ at, tool }) => denied.violated(at, `\`${tool}\` is denied, and was not refused`)),
  ...governed(turn, 'ToolCallRefused')
    .filter(({ event, policy }) => {
      const { rule, tool } = event.data;
      return rule === 'tools.denied' && tool !== null && !toolDenied(policy.tools.denied, tool);
    })
    .map((at) => denied.narrower(at, `no denied pattern covers \`${at.event.data.tool ?? ''}\``)),
];

export const toolsMonitors = { 'tools.allowed': allowedMonitor, 'tools.denied': deniedMonitor };

export const toolsWitnesses = {
  'tools.allowed': anyOf(
    refusedUnder('tools.allowed'),
    withheld('allowed', (policy, tool) => !toolAllowed(policy.tools.allowed, tool)),
  ),
  'tools.denied': anyOf(
    refusedUnder('tools.denied'),
    withheld('denied', (policy, tool) => toolDenied(policy.tools.denied, tool)),
  ),
};

/** Tools in use: offered to the model, let through, or started; once each. */
function used(turn: RecordedTurn) {
  const seen = new Set<string>();
  const offers = governed(turn, 'ModelCallStarted').flatMap((at) =>
    at.event.data.advertised.map((tool) => ({ at, tool, policy: at.policy })),
  );
  return [...usesOf(turn), ...offers].filter(({ at, tool }) => {
    const key = at.event.type === 'ModelCallStarted' ? tool : `${at.event.id} ${tool}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A refusal for not being allowed, or for not being offered, of a tool that the policy allows under its effect ceiling. */
function refusedWrongly(turn: RecordedTurn, at: Governed<'ToolCallRefused'>): boolean {
  const { rule, tool, effects } = at.event.data;
  if (tool === null || !toolAllowed(at.policy.tools.allowed, tool)) return false;
  if (rule === 'tools.allowed') return true;
  if (rule !== 'gate.not_advertised' || toolDenied(at.policy.tools.denied, tool)) return false;
  const offer = turn.all('ModelCallStarted').findLast((call) => call.index < at.index);
  if (offer === undefined || offer.event.data.final) return false;
  if (!tool.startsWith('builtin:')) return false;
  return at.policy.approval.autonomy !== 'read_only' || onlyReads(effects);
}

/** A call of a tool that was not even offered, because this setting keeps it out. */
function withheld(word: string, keepsOut: (policy: PolicySnapshot, tool: string) => boolean) {
  return witness('ToolCallRefused', ({ event, policy }) => {
    const { rule, tool } = event.data;
    if (rule !== 'gate.not_advertised' || tool === null || !keepsOut(policy, tool)) return null;
    return `${tool} was not offered: not ${word === 'allowed' ? 'allowed' : 'permitted'}`;
  });
}
