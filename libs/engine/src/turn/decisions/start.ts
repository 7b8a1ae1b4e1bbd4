import { nothing, record, refuse, type Decision } from '../decision.ts';
import type { CommandOf } from '../commands.ts';
import type { OpenTurn, TurnState } from '../state.ts';

/** A turn begins with its request and its policy in one append. */
export const startTurn = (command: CommandOf<'StartTurn'>, state: TurnState): Decision => {
  if (state.status !== 'none') return refuse('already_started', 'the turn has already begun');
  const { parts } = command.policy;
  return record([
    {
      type: 'TurnRequested',
      data: {
        request: parts.request,
        records: parts.records,
        config: parts.config,
        path: parts.path,
        trigger: parts.trigger,
        input: { inline: command.input },
        message: command.message,
        history: [...command.history],
        ...arrivedWith(command),
      },
    },
    {
      type: 'PolicyResolved',
      data: {
        config: parts.config,
        registry: parts.registry,
        snapshot: { inline: parts.snapshot },
        digest: parts.digest,
        surfaces: parts.surfaces,
        provenance: [...parts.provenance],
        narrowings: [...parts.narrowings],
      },
    },
  ]);
};

/** What only some paths bring along. */
const arrivedWith = ({
  earlier,
  call,
  replyTo,
}: Pick<CommandOf<'StartTurn'>, 'earlier' | 'call' | 'replyTo'>) => ({
  ...(earlier === undefined ? {} : { earlier }),
  ...(call === undefined ? {} : { call }),
  ...(replyTo === undefined ? {} : { replyTo }),
});

/** A refused request is a turn too: it stands in the log with its reason. */
export const refuseTurn = (command: CommandOf<'RefuseTurn'>, state: TurnState): Decision => {
  if (state.status !== 'none') return refuse('already_started', 'the turn has already begun');
  return record([
    {
      type: 'TurnRequested',
      data: {
        request: command.request,
        records: command.records,
        config: command.config,
        path: command.path,
        trigger: command.trigger,
        input: { inline: command.input },
        message: command.message,
        history: [],
        ...arrivedWith(command),
      },
    },
    {
      type: 'TurnRefused',
      data: { code: command.code, problems: [...command.problems], shown: command.shown },
    },
  ]);
};

/** The effective policy takes over what a newer config takes away. Without a changed setting there is nothing to record. */
export const narrowTurn = (command: CommandOf<'NarrowTurn'>, state: OpenTurn): Decision => {
  const { parts } = command.policy;
  if (command.keys.length === 0 || parts.digest === state.policyDigest) return nothing;
  return record([
    {
      type: 'PolicyNarrowed',
      data: {
        config: parts.config,
        snapshot: { inline: parts.snapshot },
        digest: parts.digest,
        keys: [...command.keys],
        ...(state.records.parent === undefined ? {} : { records: parts.records }),
      },
    },
  ]);
};
