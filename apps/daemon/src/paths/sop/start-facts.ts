import { sopDefinition, type SopCommand } from '@lockstep/engine';
import {
  originNarrowings,
  type Config,
  type Origin,
  type Principal,
  type ResolveRecords,
} from '@lockstep/policy';
import { ownSession } from '../../turns/request-ids.ts';
import type { SopParts } from './sop-parts.ts';
import type { FixedStart } from './sop-runs.service.ts';
import type { SopStart, SopStarted } from './sop-runs.port.ts';

type StartRun = Extract<SopCommand, { type: 'StartRun' }>;
type Refused = Extract<SopStarted, { kind: 'refused' }>;

/** The command that starts a run, or why it may not be started so. */
export const startFacts = async (
  parts: SopParts,
  start: FixedStart,
): Promise<
  | { readonly ok: true; readonly command: StartRun }
  | { readonly ok: false; readonly refused: Refused }
> => {
  const applied = parts.config.current();
  const sop = Object.hasOwn(applied.config.sops, start.sop) ? applied.config.sops[start.sop] : null;
  if (sop == null) return refused('not_found', `there is no procedure \`${start.sop}\``);
  const { from } = start;
  const trigger = triggerOf(from);
  if (!sop.triggers.includes(trigger.name))
    return refused(
      'not_permitted',
      `procedure \`${start.sop}\` is not started by \`${trigger.name}\`: its triggers are \`${sop.triggers.join('`, `')}\``,
    );
  const definition = sopDefinition(withoutStars(sop));
  const agents = [...new Set(definition.steps.map(({ agent }) => agent))];
  const held = await heldBy(parts, start, agents);
  if (!held.ok) return held;
  const [first = ''] = agents;
  const { version, digest } = applied;
  return {
    ok: true,
    command: {
      type: 'StartRun',
      run: start.run,
      sop: start.sop,
      config: { version, digest },
      definition,
      input: parts.masker.mask(start.input.toWellFormed(), { formats: true, agent: first }).text,
      by: start.by,
      trigger: trigger.kind,
      parent: from.kind === 'tool' ? from.parent : null,
      narrowings: held.narrowings,
      depth: held.depth,
      origin: originOf(from),
    },
  };
};

const refused = (
  code: Refused['code'],
  message: string,
): { readonly ok: false; readonly refused: Refused } => ({
  ok: false,
  refused: { kind: 'refused', code, message },
});

/** Every tool is what a scope that takes nothing says. */
const withoutStars = (sop: Config['sops'][string]) => ({
  ...sop,
  steps: sop.steps.map(({ tools, ...step }) => ({
    ...step,
    ...(tools === undefined || tools === '*' ? {} : { tools }),
  })),
});

const triggerOf = (
  from: SopStart['from'],
): { readonly kind: StartRun['trigger']; readonly name: string } => {
  switch (from.kind) {
    case 'manual':
    case 'tool':
      return { kind: from.kind, name: from.kind };
    case 'cron':
      return { kind: 'cron', name: `cron:${from.job}` };
    case 'channel':
      return { kind: 'channel', name: `channel:${from.binding}` };
  }
};

/** Where the request came from, when it was no turn. */
const originOf = (from: SopStart['from']): Origin | null => {
  switch (from.kind) {
    case 'manual':
      return from.origin;
    case 'cron':
      return { kind: 'cron', job: from.job };
    case 'channel':
      return { kind: 'channel', binding: from.binding };
    case 'tool':
      return null;
  }
};

type Held =
  | { readonly ok: true; readonly narrowings: StartRun['narrowings']; readonly depth: number }
  | { readonly ok: false; readonly refused: Refused };

/** What holds for the starter: for a step of a turn the turn itself says so, again at each step. */
const heldBy = async (
  parts: SopParts,
  { from, by }: SopStart,
  agents: readonly string[],
): Promise<Held> => {
  const origin = originOf(from);
  if (origin === null) return { ok: true, narrowings: [], depth: 0 };
  const { records } = await parts.records.of(origin, {});
  // A job and a channel are one agent's; whoever else starts a run must reach every agent of its steps.
  const reached = from.kind === 'cron' || from.kind === 'channel' ? [from.agent] : agents;
  let narrowings: StartRun['narrowings'] = [];
  for (const agent of reached) {
    const found = narrowingsOf(parts, { agent, by, origin, records });
    if (!found.ok) return refused('not_permitted', found.problem.message);
    narrowings = [...found.narrowings];
  }
  return { ok: true, narrowings, depth: records.job?.depth ?? 0 };
};

const narrowingsOf = (
  { config }: SopParts,
  from: {
    readonly agent: string;
    readonly by: Principal;
    readonly origin: Origin;
    readonly records: ResolveRecords;
  },
) => {
  const { agent, by, origin, records } = from;
  const session = ownSession(agent, 'procedure');
  const request = { agent, principal: by, session, origin, client: 'none' } as const;
  return originNarrowings(config.current(), request, records);
};
