import { surfaceNames } from '../names.ts';
import { settings } from '../surfaces/registry.ts';
import { writtenIn } from './explain.ts';

/** The page `docs/settings.md`: every setting of the registry, by surface. */
export const settingsMarkdown = (): string =>
  [
    '# Settings',
    '',
    'Every setting that a policy holds, made from the registry in `libs/policy/src/surfaces`: change it there, then run',
    '`npm run docs` to write this page again.',
    '',
    'A value is taken from the agent, then from its profile, then from the default; it replaces the lower one whole. Absent means',
    '"not said here", `[]` is none, `"*"` is all. The last column says how two values meet where something is taken away.',
    ...surfaceNames.flatMap((surface) => [
      '',
      `## ${surface}`,
      '',
      '| setting | what it does | default | written in | meet |',
      '| --- | --- | --- | --- | --- |',
      ...settings
        .filter((setting) => setting.surface === surface)
        .map((setting) =>
          row([
            `\`${setting.key}\``,
            setting.explain,
            `\`${setting.fallback}\``,
            `\`${setting.written}\` of ${writtenIn(setting.key)}`,
            setting.order.name,
          ]),
        ),
    ]),
    '',
  ].join('\n');

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
