import { sopStepName } from '../../surfaces/sop-step.ts';
import type { Config } from '../config.schema.ts';
import { didYouMean } from '../nearest.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { atKey, atValue, type CheckContext, type ConfigCheck } from './check-context.ts';
import { checkJsonSchema } from './check-json-schema.ts';
import { checkChannel, checkKey, checkName, targets } from './known-name.ts';

/** Jobs, heartbeats and procedures: whom they name, when they come and what their templates stand for. */
export const checkWork: ConfigCheck = (context) => [
  ...Object.entries(context.config.cron).flatMap(([name, job]) => [
    ...checkName(context, ['cron', name, 'agent'], job.agent, targets.agent),
    ...checkJobName(context, name),
    ...checkSchedule(context, ['cron', name], job),
  ]),
  ...Object.keys(context.config.heartbeat).flatMap((agent) =>
    checkKey(context, ['heartbeat', agent], agent, targets.agent),
  ),
  ...Object.entries(context.config.sops).flatMap(([name, sop]) => checkSop(context, name, sop)),
];

/** Heartbeats keep their times under such a name. */
const checkJobName = (context: CheckContext, name: string): ConfigProblem[] =>
  name.startsWith('heartbeat-')
    ? [
        atKey(
          context,
          'conflict',
          ['cron', name],
          `\`${name}\` could be taken for a heartbeat, name the job otherwise`,
        ),
      ]
    : [];

const checkSchedule = (
  context: CheckContext,
  path: ConfigPath,
  { schedule, timezone }: Config['cron'][string],
): ConfigProblem[] => {
  const found = context.judgeSchedule?.(schedule, timezone) ?? null;
  return found === null
    ? []
    : [atValue(context, 'invalid_value', [...path, found.key], found.message)];
};

type Sop = Config['sops'][string];

const checkSop = (context: CheckContext, name: string, sop: Sop): ConfigProblem[] => {
  const at = ['sops', name];
  const names = sop.steps.map(sopStepName);
  return [
    ...sop.triggers.flatMap((trigger, index) => {
      const path = [...at, 'triggers', index];
      if (sop.triggers.indexOf(trigger) !== index)
        return [atValue(context, 'conflict', path, `\`${trigger}\` stands here twice`)];
      const [kind = '', source = ''] = trigger.split(':', 2);
      const other = source === '' ? null : startedElsewhere(context.config, name, trigger);
      if (other !== null)
        return [
          atValue(
            context,
            'conflict',
            path,
            `\`${trigger}\` starts procedure \`${other}\` already, and one time or message starts one`,
          ),
        ];
      if (kind === 'cron') return checkName(context, path, source, targets.job);
      return kind === 'channel' ? checkChannel(context, path, source) : [];
    }),
    ...sop.steps.flatMap((step, index) => {
      const path = [...at, 'steps', index];
      return [
        ...checkName(context, [...path, 'agent'], step.agent, targets.agent),
        ...checkStepName(context, path, { names, index, written: step.name !== undefined }),
        ...checkTemplate(context, [...path, 'prompt'], step.prompt, names.slice(0, index)),
        ...(step.output === undefined
          ? []
          : checkJsonSchema(context, [...path, 'output'], step.output)),
      ];
    }),
  ];
};

/** The procedure, first by name, that the same job or channel starts. */
const startedElsewhere = ({ sops }: Config, name: string, trigger: string): string | null =>
  Object.keys(sops)
    .sort()
    .find((one) => one < name && sops[one]?.triggers.includes(trigger)) ?? null;

interface Named {
  readonly names: readonly string[];
  readonly index: number;
  readonly written: boolean;
}

const checkStepName = (
  context: CheckContext,
  path: ConfigPath,
  { names, index, written }: Named,
): ConfigProblem[] => {
  const name = names[index] ?? '';
  const first = names.indexOf(name);
  if (first === index) return [];
  const message = `\`${name}\` is the name of step ${first + 1} already, name one otherwise`;
  return [
    written
      ? atValue(context, 'conflict', [...path, 'name'], message)
      : atKey(context, 'conflict', path, message),
  ];
};

const checkTemplate = (
  context: CheckContext,
  path: ConfigPath,
  prompt: string,
  earlier: readonly string[],
): ConfigProblem[] => {
  const known = ['input', ...earlier.map((name) => `steps.${name}`)];
  const used = [...prompt.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, inner = '']) => inner.trim());
  return [...new Set(used)].flatMap((name) => {
    if (known.includes(name)) return [];
    const message = `\`{{${name}}}\` stands for nothing that came before this step${didYouMean(name, known)}`;
    return [atValue(context, 'unknown_name', path, message)];
  });
};
