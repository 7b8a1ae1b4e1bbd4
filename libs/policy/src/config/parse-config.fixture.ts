import type { Host } from '../request.ts';
import { parseConfig } from './parse-config.ts';
import type { ConfigFormat } from './read-document.ts';

/** Where the example config lies. */
export const host: Host = {
  home: '/home/ana',
  base: '/srv/team',
  data: '/srv/team/.lockstep',
  config: '/srv/team/lockstep.toml',
  program: ['/srv/team/apps', '/srv/team/libs'],
};

/** What is wrong with a text, one line each: `3:12 agents.a.provider unknown_name: message`. */
export const problemsIn = (text: string, format: ConfigFormat = 'toml'): string[] => {
  const parsed = parseConfig({ text, format, file: `lockstep.${format}`, host });
  return parsed.ok ? [] : parsed.problems.map(lineOf);
};

/** What a good text is warned of; a refused text is shown as its problems. */
export const warningsIn = (text: string): string[] => {
  const parsed = parseConfig({ text, format: 'toml', file: 'lockstep.toml', host });
  return (parsed.ok ? parsed.warnings : parsed.problems).map(lineOf);
};

const lineOf = (problem: {
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly code: string;
}): string =>
  `${problem.line ?? '-'}:${problem.column ?? '-'} ${problem.path} ${problem.code}: ${problem.message}`;

/** The parts that make agent `a` complete; what a spec adds comes after it. */
export const complete = `[agents.a]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[providers.local]
type = "scripted"
script = "scripts/a.yaml"
[runtime_profiles.short]
[risk_profiles.careful]
`;
