import { join } from 'node:path';
import {
  specDigest,
  type Artifacts,
  type Operand,
  type StartedToolCall,
  type ToolOutcome,
  type ToolScope,
  type ToolSpec,
} from '@lockstep/engine';
import {
  runForAgent,
  runsSandboxed,
  type AgentProcess,
  type ProcessContext,
} from '../sandbox/agent-process.ts';
import { outcomeOf, ToolFailure, ToolSays } from '../tools/tool-failure.ts';
import type { Running, ToolSource } from '../tools/tool-source.ts';
import { textOfFile } from './read-skill.ts';
import type { FoundSkill, SkillLibrary } from './skill-library.ts';

export interface SkillToolParts {
  readonly library: SkillLibrary;
  readonly artifacts: Artifacts;
  readonly processes: ProcessContext;
}

type Args = Readonly<Record<string, unknown>>;

/** Reading skills, and their scripts as tools of their own. */
export const skillTools = (parts: SkillToolParts): ToolSource => ({
  owns: (id) => id === 'builtin:skill_read' || id.startsWith('skill:'),
  list: async ({ policy }) => {
    const { skills, problems } = await parts.library.of(policy.skills.directories ?? {});
    return {
      tools: skills.flatMap((skill) => skill.scripts.map((file) => scriptSpec(skill, file))),
      problems: problems.map(({ bundle, skill, message }) => ({
        server: bundle,
        message: skill === null ? message : `the skill \`${skill}\` is left out: ${message}`,
      })),
    };
  },
  inspect: async ({ policy }, spec, args) => {
    const script = scriptOf(spec.id);
    const given = script?.skill ?? textAt(args, 'skill') ?? '';
    const skill = await parts.library.now(policy.skills.directories ?? {}, given);
    const operand: Operand = {
      kind: 'skill',
      given,
      bundle: skill?.bundle ?? null,
      digest: skill?.digest ?? null,
    };
    return {
      operands: [operand],
      roots: null,
      confined: script !== null && runsSandboxed(policy, parts.processes.sandbox),
    };
  },
  run: (scope, started, args, running) => {
    const script = scriptOf(started.spec.id);
    return script === null
      ? read(parts, { scope, started, args, running })
      : outcomeOf(
          () => runScript(parts, { scope, started, args, running }, script.file),
          running.touched,
        );
  },
});

interface Work {
  readonly scope: ToolScope;
  readonly started: StartedToolCall;
  readonly args: Args;
  readonly running: Running;
}

const scriptSpec = (skill: FoundSkill, file: string): ToolSpec => {
  const spec: Omit<ToolSpec, 'alias' | 'digest'> = {
    id: `skill:${skill.name}/${file}`,
    // The digest stands here so that a skill that changed is a new tool: grants and decisions on the old one hold no more.
    description: `Runs \`scripts/${file}\` of the skill \`${skill.name}\` (${skill.digest.slice(0, 16)}) in the workspace. ${skill.description}`,
    inputSchema: {
      type: 'object',
      properties: {
        args: {
          type: 'array',
          description: 'Arguments of the script.',
          items: { type: 'string', maxLength: 4096 },
          maxItems: 64,
        },
        stdin: { type: 'string', description: 'What the script reads.', maxLength: 65_536 },
      },
      required: ['args'],
      additionalProperties: false,
    },
    effects: ['execute'],
    operands: [{ kind: 'skill', at: '' }],
    repeatable: false,
  };
  return { ...spec, alias: `${skill.name}__${file}`, digest: specDigest(spec) };
};

/** The skill as it was authorized. */
const authorized = async (parts: SkillToolParts, { scope, started }: Work): Promise<FoundSkill> => {
  const operand = started.event.data.operands.find((one) => one.kind === 'skill');
  if (operand === undefined) throw new ToolFailure('protocol', 'no skill was authorized');
  const { directories = {} } = scope.policy.skills;
  const skill = await parts.library.now(directories, operand.given);
  if (skill?.digest !== operand.digest || skill.bundle !== operand.bundle)
    throw new ToolFailure(
      'late_swap',
      `the skill \`${operand.given}\` is not what was authorized any more`,
    );
  return skill;
};

/** Gives a skill's text, or a further file of it, and puts it in use. */
const read = async (parts: SkillToolParts, work: Work): Promise<ToolOutcome> => {
  const { scope, args, running } = work;
  let activated: Extract<ToolOutcome, { ok: true }>['activated'];
  const outcome = await outcomeOf(async () => {
    const skill = await authorized(parts, work);
    const file = textAt(args, 'file');
    if (file !== null && !skill.files.includes(file))
      throw new ToolSays(`the skill \`${skill.name}\` holds no file \`${file}\``);
    const { policy, agent } = scope;
    const options = { formats: policy.output.redact, agent };
    const { text, masked } = parts.processes.masker.mask(bodyOf(skill, policy), options);
    const { digest } = await parts.artifacts.put(text);
    const { name, bundle, tools } = skill;
    activated = { skill: name, bundle, digest, tools: tools === null ? null : [...tools] };
    return file === null ? { text, masked } : { text: await textOfFile(skill, file) };
  }, running.touched);
  return outcome.ok && activated !== undefined ? { ...outcome, activated } : outcome;
};

/** The text of a skill with what else it brings along. */
const bodyOf = (skill: FoundSkill, { skills }: ToolScope['policy']): string => {
  const more = skill.files.filter((file) => file !== 'SKILL.md' && !file.startsWith('scripts/'));
  return [
    skill.body,
    ...(more.length === 0
      ? []
      : [`Further files, read with \`skill_read\` and \`file\`: ${more.join(', ')}`]),
    ...(skill.scripts.length === 0 || !skills.allow_scripts
      ? []
      : [
          `Scripts, each a tool: ${skill.scripts.map((s) => `skill:${skill.name}/${s}`).join(', ')}`,
        ]),
  ]
    .join('\n\n')
    .toWellFormed();
};

const runScript = async (parts: SkillToolParts, work: Work, file: string) => {
  const { scope, args, running } = work;
  const skill = await authorized(parts, work);
  if (!skill.scripts.includes(file))
    throw new ToolFailure('late_swap', `the skill holds no script \`${file}\` any more`);
  const given = listAt(args, 'args');
  const stdin = textAt(args, 'stdin');
  if (given.some((one) => one.includes('\0')))
    throw new ToolSays('an argument cannot hold a NUL character');
  const sandboxed =
    scope.policy.shell.sandbox === 'required' ||
    runsSandboxed(scope.policy, parts.processes.sandbox);
  const at = sandboxed ? `/skills/${skill.name}` : skill.folder;
  const process: AgentProcess = {
    command: join(at, 'scripts', file),
    args: given,
    stdin,
    digest: skill.digest,
    sandboxed,
    beside: sandboxed ? [{ from: skill.folder, at }] : [],
  };
  return runForAgent(parts.processes, scope, process, running);
};

const scriptOf = (id: string): { readonly skill: string; readonly file: string } | null => {
  const [, skill, file] = /^skill:([^/]+)\/(.+)$/.exec(id) ?? [];
  return skill === undefined || file === undefined ? null : { skill, file };
};

const textAt = (args: unknown, key: string): string | null => {
  const value: unknown =
    typeof args === 'object' && args !== null ? Reflect.get(args, key) : undefined;
  return typeof value === 'string' ? value : null;
};

const listAt = (args: Args, key: string): readonly string[] => {
  const value = args[key];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
};
