import type { PolicySnapshot } from '@lockstep/policy';
import type { TurnEvent } from '../events/event.ts';
import type { Operand, Touched } from '../events/parts.ts';
import { perTurn, type Monitor } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';

/** Something that a part of the checks speaks of: in a turn where it does not occur, none of them has anything to say. */
type Trait = 'question' | 'memory' | 'skill' | 'command' | 'other' | 'identity';

/** Checks of one part, run only where it occurs. */
export const whereOccurs = <K extends string>(
  trait: Trait,
  monitors: Readonly<Record<K, Monitor>>,
): Record<K, Monitor> =>
  Object.fromEntries(
    Object.entries<Monitor>(monitors).map(([key, monitor]): [string, Monitor] => [
      key,
      (turn) => (traitsOf(turn).has(trait) ? monitor(turn) : none),
    ]),
  ) as Record<K, Monitor>;

const none: ReturnType<Monitor> = [];

const traitsOf = perTurn((turn): ReadonlySet<Trait> => {
  const traits = new Set<Trait>();
  if (isFromOthers(turn)) traits.add('other');
  for (const { policy } of turn.spans) if (policy !== null) addPolicy(traits, policy);
  for (const { event } of turn.events) addTraits(traits, event);
  return traits;
});

const addPolicy = (traits: Set<Trait>, { context, memory }: PolicySnapshot): void => {
  if (context.identity.files.length > 0) traits.add('identity');
  if (memory.auto_recall) traits.add('memory');
};

/** A turn that a channel or another turn started. */
const isFromOthers = ({ asked }: RecordedTurn): boolean =>
  asked !== null && (asked.records.parent !== undefined || asked.request.origin.kind === 'channel');

const byEvent: Readonly<Partial<Record<TurnEvent['type'], Trait>>> = {
  ApprovalRequested: 'question',
  ApprovalVoted: 'question',
  ApprovalGranted: 'question',
  MemoryRecalled: 'memory',
  SkillActivated: 'skill',
};

const addTraits = (traits: Set<Trait>, event: TurnEvent): void => {
  const trait = byEvent[event.type];
  if (trait !== undefined) traits.add(trait);
  if (event.type === 'ToolCallAuthorized') {
    if (event.data.by === 'grant') traits.add('question');
    addCall(traits, event.data.tool, event.data.facts.operands);
  } else if (event.type === 'ToolCallRefused') {
    const { tool, alias, rule, facts } = event.data;
    addCall(traits, tool ?? alias, facts.operands);
    for (const [surface, spoken] of bySurface) if (rule.startsWith(surface)) traits.add(spoken);
  } else if (event.type === 'ToolCallStarted')
    addCall(traits, event.data.tool, event.data.operands);
  else if (event.type === 'ToolCallCompleted' || event.type === 'ToolCallFailed')
    for (const { kind } of event.data.touched) addIf(traits, byTouch[kind]);
  else if (event.type === 'ModelCallStarted') addOffer(traits, event.data);
};

const addOffer = (
  traits: Set<Trait>,
  { made, advertised }: Extract<TurnEvent, { type: 'ModelCallStarted' }>['data'],
): void => {
  if (made !== undefined && made.identity.length > 0) traits.add('identity');
  const skills = made !== undefined && made.skills.length > 0;
  if (skills || advertised.some((tool) => tool.startsWith('skill:'))) traits.add('skill');
};

const addCall = (traits: Set<Trait>, tool: string, operands: readonly Operand[]): void => {
  addIf(traits, byTool[tool]);
  if (tool.startsWith('skill:'))
    for (const trait of ['skill', 'command'] as const) traits.add(trait);
  addOperands(traits, operands);
};

const addOperands = (traits: Set<Trait>, operands: readonly Operand[]): void => {
  for (const { kind } of operands) addIf(traits, byOperand[kind]);
};

const addIf = (traits: Set<Trait>, trait: Trait | undefined): void => {
  if (trait !== undefined) traits.add(trait);
};

const bySurface: readonly (readonly [surface: string, trait: Trait])[] = [
  ['memory.', 'memory'],
  ['skills.', 'skill'],
  ['gate.skill_tools', 'skill'],
  ['shell.', 'command'],
  ['delegation.', 'other'],
  ['channels.', 'other'],
  ['context.identity.', 'identity'],
];

const byTool: Readonly<Record<string, Trait>> = {
  'builtin:memory_store': 'memory',
  'builtin:memory_recall': 'memory',
  'builtin:memory_forget': 'memory',
  'builtin:skill_read': 'skill',
  'builtin:shell': 'command',
  'builtin:delegate': 'other',
  'builtin:spawn': 'other',
  'builtin:sop_start': 'other',
  'builtin:message_peer': 'other',
  'builtin:cron_add': 'other',
};

const byOperand: Readonly<Partial<Record<Operand['kind'], Trait>>> = {
  memory: 'memory',
  skill: 'skill',
  command: 'command',
  agent: 'other',
  sop: 'other',
  job: 'other',
};

const byTouch: Readonly<Partial<Record<Touched['kind'], Trait>>> = {
  recalled: 'memory',
  stored: 'memory',
  forgot: 'memory',
  executed: 'command',
  child: 'other',
  sop: 'other',
  job: 'other',
};
