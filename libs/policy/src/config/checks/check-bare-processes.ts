import { builtinTools } from '../../builtin-tools.ts';
import { entryOf } from '../../orders/map.ts';
import { matchesClauses, matchesPattern } from '../../patterns.ts';
import { registry } from '../../surfaces/registry.ts';
import type { Place } from '../../surfaces/setting.ts';
import type { ConfigProblem } from '../problem.ts';
import { agentPlaces, atKey, pathOfText, type ConfigCheck } from './check-context.ts';

/** Agents whose processes run outside the sandbox: such a process reads what its operator reads, the local token too. */
export const warnBareProcesses: ConfigCheck = (context) =>
  agentPlaces(context).flatMap((place): ConfigProblem[] => {
    const { alias } = place;
    const warn = (path: readonly (string | number)[], what: string): ConfigProblem =>
      atKey(
        context,
        'unsafe_process',
        path,
        `\`${alias}\` can act as the operator: ${what} outside the sandbox`,
      );
    const { path, value } = registry['shell.sandbox'].derive(place);
    return [
      ...(path !== null && value !== 'required' && runsCommands(place)
        ? [warn(pathOfText(path), 'what it runs may run')]
        : []),
      ...bareServers(place).map((server) =>
        warn(['mcp', 'servers', server, 'run'], `the server \`${server}\` runs`),
      ),
    ];
  });

const runsCommands = (place: Place): boolean => {
  const allowed = registry['tools.allowed'].derive(place).value;
  const denied = registry['tools.denied'].derive(place).value;
  const shell = builtinTools.some(
    ({ id }) =>
      id === 'builtin:shell' &&
      matchesClauses(allowed, id).ok &&
      !denied.some((pattern) => matchesPattern(pattern, id)),
  );
  return shell || registry['skills.allow_scripts'].derive(place).value;
};

const bareServers = ({ config, agent }: Place): readonly string[] => {
  const named = (agent.mcp_bundles ?? []).flatMap(
    (bundle) => entryOf(config.mcp_bundles, bundle)?.servers ?? [],
  );
  return [...new Set(named)].filter((name) => {
    const server = entryOf(config.mcp.servers, name);
    return server?.transport === 'stdio' && server.run === 'trusted';
  });
};
