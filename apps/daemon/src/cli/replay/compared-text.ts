import pc from 'picocolors';
import type { CounterfactualReport } from '@lockstep/engine';
import type { ReplayAnswer } from '../../http/schemas/replay.schema.ts';
import { safeLine, table } from '../print.ts';

type Any = CounterfactualReport | ReplayAnswer;
type Compared = Extract<Any, { readonly outcome: 'compared' }>;
type Verdict = Compared['verdicts'][number];
type Start = Compared['now'];

/** The calls of a turn one by one, as they were judged and as they would be, and where the horizon lies. */
export const comparedText = (report: Compared, columns: number | null): string =>
  [headOf(report), ...policyLines(report), ...callLines(report, columns), horizonLine(report)].join(
    '\n',
  );

/** A turn that would not have begun. */
export const notReachableText = ({
  turn,
  now,
  why,
}: Extract<Any, { readonly outcome: 'not_reachable' }>): string =>
  `${pc.red('not reachable')} turn ${safeLine(turn)} by ${startText(now)}: ${safeLine(why)}`;

const headOf = (report: Compared): string => {
  const { turn, agent, recorded, now, verdicts, horizon } = report;
  const changed = verdicts.filter(isChanged).length;
  const word =
    changed === 0 && horizon === null
      ? pc.green('unchanged')
      : pc.red(changed === 0 ? 'otherwise' : 'changed');
  return `${word} turn ${safeLine(turn)} of \`${safeLine(agent)}\`: recorded by ${startText(recorded)}, now by ${startText(now)}`;
};

const startText = ({ path, trigger, config }: Start): string =>
  `${path}/${trigger} under ${config.version === null ? 'the draft' : `config version ${config.version}`}`;

const policyLines = ({ policy }: Compared): readonly string[] =>
  policy.length === 0
    ? []
    : [
        'policy',
        ...policy.map(
          ({ key, recorded, now }) =>
            `  ${safeLine(key)}  ${shortened(recorded)} ${pc.dim('→')} ${shortened(now)}`,
        ),
      ];

const longest = 120;

const shortened = (value: string): string => {
  const text = safeLine(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
};

const callLines = ({ verdicts }: Compared, columns: number | null): readonly string[] =>
  verdicts.length === 0
    ? ['no call was made']
    : [
        table(
          ['EVENT', 'CALL', 'TOOL', 'RECORDED', 'NOW', ''],
          verdicts.map((one) => [
            String(one.at.revision),
            safeLine(one.call),
            safeLine(one.tool),
            seenText(one.recorded),
            one.now === null ? pc.dim('not known') : seenText(one.now),
            changeText(one),
          ]),
          columns,
        ),
        ...verdicts
          .filter(isChanged)
          .flatMap(({ call, now, decidedBy, waitedMs }) => [
            `  ${safeLine(call)}: ${safeLine(now?.why ?? '')}`,
            ...(decidedBy === null
              ? []
              : [
                  `  ${safeLine(call)}: ${safeLine(decidedBy)} decided on it then, after ${Math.round((waitedMs ?? 0) / 1000)} s`,
                ]),
          ]),
      ];

const seenText = ({ verdict, rule }: Verdict['recorded']): string => `${verdict} ${safeLine(rule)}`;

const isChanged = ({ change }: Verdict): boolean =>
  change !== 'unchanged' && change !== 'beyond_horizon';

const changeText = ({ change }: Verdict): string => {
  const text = change.replaceAll('_', ' ');
  switch (change) {
    case 'unchanged':
    case 'beyond_horizon':
      return pc.dim(text);
    case 'newly_refused':
      return pc.red(text);
    case 'newly_asked':
      return pc.yellow(text);
    case 'newly_allowed':
      return pc.green(text);
  }
};

const horizonLine = ({ horizon, verdicts }: Compared): string => {
  if (horizon === null) return 'horizon: none, the turn would have gone as it went';
  const beyond = verdicts.filter(({ change }) => change === 'beyond_horizon').length;
  const calls = beyond === 1 ? '1 call lies' : `${beyond} calls lie`;
  return `horizon: event ${horizon.revision} (${horizon.type}, position ${horizon.position}): what follows rests on what the model would not have been told; ${calls} beyond it`;
};
