import { pathToFileURL } from 'node:url';
import { registry } from '@lockstep/policy';
import type { Finding } from './findings.ts';

/** What failed as SARIF 2.1.0, at the config file: a rule for each setting. */
export const sarifOf = (bad: readonly Finding[], config: string): string => {
  const settings = [...new Set(bad.map(({ setting }) => setting))];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'lockstep parity',
            rules: settings.map((id) => ({ id, shortDescription: { text: registry[id].explain } })),
          },
        },
        results: bad.map((finding) => resultOf(finding, config)),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
};

const resultOf = (finding: Finding, config: string) => {
  const { agent, setting, path, trigger, state, kind, reason } = finding;
  const what = kind === null ? state : `${state} (${kind})`;
  const why = reason === null ? '' : `: ${reason}`;
  return {
    ruleId: setting,
    level: state === 'gap' ? 'error' : 'warning',
    message: { text: `${setting} of ${agent} over ${trigger} is ${what}${why}` },
    locations: [{ physicalLocation: { artifactLocation: { uri: pathToFileURL(config).href } } }],
    partialFingerprints: { cell: `${agent}/${setting}/${path}/${trigger}` },
  };
};
