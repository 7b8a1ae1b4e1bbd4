import type { PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { usesOf } from './calls.ts';
import { toolDenied } from './matcher.ts';
import { anyOf, governed, objector, refusedUnder, witness, type Monitor } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';

type SkillOperand = Extract<Operand, { kind: 'skill' }>;

const bundles = objector('skills.bundles');
/** Only skills of the agent's bundles are read, and after that only tools that they name are offered and let through. */
const bundlesMonitor: Monitor = (turn) => [
  ...governed(turn, 'SkillActivated').flatMap((at) =>
    at.policy.skills.bundles.includes(at.event.data.bundle)
      ? []
      : [bundles.violated(at, `skill \`${at.event.data.skill}\` is in no bundle of this agent`)],
  ),
  ...usesOf(turn).flatMap(({ at, policy, operands }) =>
    skillsIn(operands)
      .filter((skill) => !isOwn(policy, skill))
      .map(({ given }) => bundles.violated(at, `skill \`${given}\` was not refused`)),
  ),
  ...outsideLists(turn),
  ...governed(turn, 'ToolCallRefused').flatMap((at): readonly Objection[] => {
    const { rule, tool, facts } = at.event.data;
    const named = skillsIn(facts.operands);
    if (rule === 'skills.bundles' && named.length > 0 && named.every((s) => isOwn(at.policy, s)))
      return [bundles.narrower(at, 'the skill is in a bundle of this agent')];
    return rule === 'gate.skill_tools' && tool !== null && listsLet(turn, tool, at.index)
      ? [bundles.narrower(at, `every skill in use names \`${tool}\``)]
      : [];
  }),
];

const scripts = objector('skills.allow_scripts');
/** Scripts of skills are offered and run only where the policy lets them. */
const scriptsMonitor: Monitor = (turn) => [
  ...usesOf(turn).flatMap(({ at, policy, tool }) =>
    isScript(tool) && !policy.skills.allow_scripts
      ? [scripts.violated(at, `\`${tool}\` was not refused`)]
      : [],
  ),
  ...governed(turn, 'ModelCallStarted').flatMap((at) => {
    const offered = at.event.data.advertised.find(isScript);
    return offered === undefined || at.policy.skills.allow_scripts
      ? []
      : [scripts.violated(at, `\`${offered}\` was offered`)];
  }),
  ...governed(turn, 'ToolCallRefused').flatMap((at) =>
    at.event.data.rule === 'skills.allow_scripts' && at.policy.skills.allow_scripts
      ? [scripts.narrower(at, 'scripts may run')]
      : [],
  ),
];

const mode = objector('skills.prompt_mode');
/** Skills stand in the system text as the policy says: whole where it says `full`, and only there. */
const modeMonitor: Monitor = (turn) =>
  governed(turn, 'ModelCallStarted').flatMap((at, _, calls): readonly Objection[] => {
    const { made, system } = at.event.data;
    const wanted = (calls[0] ?? at).policy.skills.prompt_mode;
    if (made === undefined || made.skills.length === 0) return [];
    if (made.mode !== undefined && made.mode !== wanted)
      return wanted === 'compact'
        ? [mode.violated(at, 'the whole text of skills stands in the system text')]
        : [mode.narrower(at, 'the text of skills is missing from the system text')];
    const chars = turn.around.chars(system);
    const bodies = made.skills.map(({ digest }) => turn.around.chars(digest));
    const least = bodies.reduce<number>((sum, body) => sum + (body ?? 0), 0);
    const cut = turn.all('ContextTrimmed').some(({ event }) => isSystemCut(event.data.limit));
    return wanted === 'full' && !cut && chars !== null && chars < least
      ? [mode.narrower(at, 'the system text is shorter than the skills that should stand in it')]
      : [];
  });

export const skillsMonitors = {
  'skills.bundles': bundlesMonitor,
  'skills.allow_scripts': scriptsMonitor,
  'skills.prompt_mode': modeMonitor,
};

export const skillsWitnesses = {
  'skills.bundles': anyOf(
    refusedUnder('skills.bundles'),
    witness('SkillActivated', ({ event }) => `skill ${event.data.skill} was read from a bundle`),
    witness('ModelCallStarted', ({ event }) => {
      const count = event.data.made?.skills.length ?? 0;
      return count > 0 ? `${count} skills stand in the system text` : null;
    }),
    witness('ToolCallRefused', ({ event }) =>
      event.data.rule === 'gate.skill_tools'
        ? `refused ${event.data.tool ?? event.data.alias}: no tool of the skill in use`
        : null,
    ),
  ),
  'skills.allow_scripts': anyOf(
    refusedUnder('skills.allow_scripts'),
    witness('ToolCallStarted', ({ event, policy }) =>
      isScript(event.data.tool) && policy.skills.allow_scripts ? `${event.data.tool} ran` : null,
    ),
    witness('ToolCallRefused', ({ event, policy }) => {
      const { alias, tool } = event.data;
      const script = isScript(tool ?? alias);
      return script && !policy.skills.allow_scripts ? `${tool ?? alias} was not offered` : null;
    }),
  ),
  'skills.prompt_mode': witness('ModelCallStarted', ({ event }) => {
    const { made } = event.data;
    if (made?.mode === undefined || made.skills.length === 0) return null;
    const how = made.mode === 'full' ? 'with their whole text' : 'by name and description';
    return `${made.skills.length} skills stand in the system text ${how}`;
  }),
};

function skillsIn(operands: readonly Operand[]): readonly SkillOperand[] {
  return operands.filter((operand) => operand.kind === 'skill');
}

function isOwn(policy: PolicySnapshot, { bundle }: SkillOperand): boolean {
  return bundle !== null && policy.skills.bundles.includes(bundle);
}

function isScript(tool: string): boolean {
  return tool.startsWith('skill:');
}

function isSystemCut(limit: string): boolean {
  return limit === 'context.max_system_prompt_chars' || limit === 'context.max_context_tokens';
}

/** Reading another skill is always open: it narrows further. */
const alwaysOffered = ['builtin:skill_read'];

/** Whether every skill that was read before an index names a tool, or says nothing of tools. */
function listsLet(turn: RecordedTurn, tool: string, before: number): boolean {
  if (alwaysOffered.includes(tool)) return true;
  return governed(turn, 'SkillActivated').every(
    ({ event, index }) =>
      index >= before || event.data.tools === null || toolDenied(event.data.tools, tool),
  );
}

function outsideLists(turn: RecordedTurn): readonly Objection[] {
  if (turn.all('SkillActivated').length === 0) return [];
  const offered = governed(turn, 'ModelCallStarted').flatMap((at) => {
    const tool = at.event.data.advertised.find((id) => !listsLet(turn, id, at.index));
    return tool === undefined
      ? []
      : [bundles.violated(at, `\`${tool}\` was offered, and no skill in use names it`)];
  });
  const through = governed(turn, 'ToolCallAuthorized').flatMap((at) =>
    listsLet(turn, at.event.data.tool, at.index)
      ? []
      : [bundles.violated(at, `\`${at.event.data.tool}\` is named by no skill in use`)],
  );
  return [...offered, ...through];
}
