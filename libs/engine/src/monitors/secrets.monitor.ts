import { toolAllowed } from './matcher.ts';
import { anyOf, governed, objector, refusedUnder, witness, type Monitor } from './monitor.ts';
import { textOf } from './recorded-turn.ts';

const unseal = objector('secrets.unseal');
/** The value behind a placeholder goes to tools that the policy names, and to no other. */
const unsealMonitor: Monitor = (turn) => [
  ...governed(turn, 'ToolCallStarted').flatMap((at) => {
    const { unsealed, tool } = at.event.data;
    return unsealed.length > 0 && !toolAllowed(at.policy.secrets.unseal, tool)
      ? [unseal.violated(at, `\`${tool}\` was handed a secret`)]
      : [];
  }),
  ...governed(turn, 'ToolCallRefused').flatMap((at) => {
    const { rule, tool } = at.event.data;
    return rule === 'secrets.unseal' && tool !== null && toolAllowed(at.policy.secrets.unseal, tool)
      ? [unseal.narrower(at, `\`${tool}\` may be handed secrets`)]
      : [];
  }),
];

export const secretsMonitors = { 'secrets.unseal': unsealMonitor };

export const secretsWitnesses = {
  'secrets.unseal': anyOf(
    refusedUnder('secrets.unseal'),
    witness('ToolCallStarted', ({ event }) =>
      event.data.unsealed.length > 0
        ? `${event.data.tool} was handed ${event.data.unsealed.join(', ')}`
        : null,
    ),
    witness('ToolCallAuthorized', ({ event, policy }, turn) => {
      const placeholder = /«(?:secret|sealed):[^»]+»/.test(
        textOf(event.data.args, turn.around) ?? '',
      );
      return placeholder && !toolAllowed(policy.secrets.unseal, event.data.tool)
        ? `${event.data.tool} got the placeholder, not the value`
        : null;
    }),
  ),
};
