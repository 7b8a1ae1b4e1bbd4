import { builtinTools } from '../../builtin-tools.ts';
import { entryOf } from '../../orders/map.ts';
import { matchesClauses, matchesPattern, normalizeToolPattern } from '../../patterns.ts';
import type { Clauses } from '../../snapshot.ts';
import { registry } from '../../surfaces/registry.ts';
import type { Place } from '../../surfaces/setting.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import {
  agentPlaces,
  atKey,
  atValue,
  pathOfText,
  riskHolders,
  runtimeHolders,
  type CheckContext,
  type ConfigCheck,
} from './check-context.ts';
import { checkName, checkNamesIn, targets } from './known-name.ts';
import { mayOverlap } from './tool-pattern.ts';

/** Edges, procedures and memory of others lead to what there is, and to others. */
export const checkEdges: ConfigCheck = (context) => [
  ...Object.entries(context.config.agents).flatMap(([alias, agent]) =>
    (agent.delegates ?? []).flatMap((edge, index, edges) => {
      const at = ['agents', alias, 'delegates', index];
      const first = edges.findIndex((other) => other.agent === edge.agent);
      return [
        ...checkName(context, [...at, 'agent'], edge.agent, targets.agent),
        ...notItself(context, [...at, 'agent'], { alias, name: edge.agent, use: 'spawn' }),
        ...(first === index
          ? []
          : [
              atValue(
                context,
                'conflict',
                [...at, 'agent'],
                `\`${edge.agent}\` has an edge already, leave one out`,
              ),
            ]),
        ...(edge.mode === 'independent' && edge.grants !== undefined
          ? [
              atKey(
                context,
                'cannot_act',
                [...at, 'grants'],
                '`grants` cannot act on an independent edge: nothing bounds it',
              ),
            ]
          : []),
      ];
    }),
  ),
  ...riskHolders(context).flatMap(({ path, tables: { delegation } }) =>
    checkNamesIn(context, [...path, 'delegation', 'sops'], delegation?.sops ?? [], targets.sop),
  ),
  ...runtimeHolders(context).flatMap(({ path, tables: { memory } }) =>
    checkNamesIn(
      context,
      [...path, 'memory', 'read_memory_from'],
      memory?.read_memory_from ?? [],
      targets.agent,
    ),
  ),
];

interface Self {
  readonly alias: string;
  readonly name: string;
  readonly use: string;
}

const notItself = (
  context: CheckContext,
  path: ConfigPath,
  { alias, name, use }: Self,
): ConfigProblem[] =>
  name === alias
    ? [atValue(context, 'cannot_act', path, `\`${alias}\` needs no edge to itself: use \`${use}\``)]
    : [];

/** Rows of another agent can be read only where both keep them in the same backend. */
export const checkMemorySources: ConfigCheck = (context) => {
  const places = agentPlaces(context);
  const found = places.flatMap((place) => {
    const { value, path } = registry['memory.read_memory_from'].derive(place);
    if (path === null) return [];
    const own = registry['memory.backend'].derive(place).value;
    return value.flatMap((name): ConfigProblem[] => {
      const other = places.find(({ alias }) => alias === name);
      if (other === undefined) return [];
      if (name === place.alias) {
        // A profile may name one of the agents that share it.
        if (!path.startsWith('agents.')) return [];
        const message = `\`${name}\` reads its own rows anyway, leave it out`;
        return [atKey(context, 'cannot_act', pathOfText(path), message)];
      }
      const theirs = registry['memory.backend'].derive(other).value;
      if (theirs === own && own !== 'none') return [];
      const message = `\`${place.alias}\` keeps memory in \`${own}\` and \`${name}\` in \`${theirs}\`: rows are read within one backend only`;
      return [atKey(context, 'conflict', pathOfText(path), message)];
    });
  });
  return [...new Map(found.map((problem) => [JSON.stringify(problem), problem])).values()];
};

/** An edge over which its agent would have no tool at all: worth a warning. */
export const warnBareEdges: ConfigCheck = (context) =>
  agentPlaces(context).flatMap((place) =>
    (place.agent.delegates ?? []).flatMap((edge, index) => {
      const target = entryOf(context.config.agents, edge.agent);
      if (target === null) return [];
      const there: Place = { ...place, alias: edge.agent, agent: target };
      const granted = edge.grants?.tools ?? [];
      if (edge.mode === 'independent' ? hasTools(there) : sharesTools(place, there, granted))
        return [];
      const message = `the edge from \`${place.alias}\` leaves \`${edge.agent}\` no tool: nothing is allowed by both`;
      const at = ['agents', place.alias, 'delegates', index, 'agent'];
      return [atValue(context, 'cannot_act', at, message)];
    }),
  );

const hasTools = (place: Place): boolean => meetSomewhere(place, [allowedBy(place)]);

const sharesTools = (from: Place, to: Place, granted: '*' | readonly string[]): boolean => {
  const grants = granted === '*' ? ['*'] : granted.map(normalizeToolPattern);
  const ceiling = allowedBy(from).map((clause) => [...clause, ...grants]);
  const denied = registry['tools.denied'].derive(from).value;
  return meetSomewhere(to, [ceiling, allowedBy(to)], denied);
};

const allowedBy = (place: Place): Clauses => registry['tools.allowed'].derive(place).value;

/** Whether some tool may be called: a built-in one surely, another one where patterns have something in common. */
const meetSomewhere = (
  place: Place,
  allowed: readonly Clauses[],
  more: readonly string[] = [],
): boolean => {
  const clauses = allowed.flat();
  const denied = [...registry['tools.denied'].derive(place).value, ...more];
  const builtin = builtinTools.some(
    ({ id }) => matchesClauses(clauses, id).ok && !denied.some((p) => matchesPattern(p, id)),
  );
  if (builtin) return true;
  const [first = [], ...others] = clauses;
  return first.some(
    (pattern) =>
      !pattern.startsWith('builtin:') &&
      !denied.includes('*') &&
      others.every((clause) => clause.some((other) => mayOverlap(pattern, other))),
  );
};
