import { entryOf } from '../../orders/map.ts';
import { absolutePath, isWithin } from '../../paths.ts';
import { matchesBelow } from '../../patterns.ts';
import { secretFilesOf } from '../../resolving/facts.ts';
import { registry } from '../../surfaces/registry.ts';
import type { Place } from '../../surfaces/setting.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import {
  agentPlaces,
  atValue,
  pathOfText,
  type CheckContext,
  type ConfigCheck,
} from './check-context.ts';

/** Identity files and folders of skills are given to a model, so they hold nothing that is closed to their agent or to everyone. */
export const checkIdentity: ConfigCheck = (context) => {
  const places = agentPlaces(context);
  const found = places.flatMap((place) => [
    ...filesOf(place).flatMap((file) => checkFile(context, place, file)),
    ...shared(context, place, places),
  ]);
  return [...new Map(found.map((problem) => [JSON.stringify(problem), problem])).values()];
};

interface Named {
  readonly absolute: string;
  readonly at: ConfigPath;
}

const identityOf = (place: Place): Named[] => {
  const { value, path } = registry['context.identity.files'].derive(place);
  return path === null
    ? []
    : value.map((absolute, index) => ({ absolute, at: [...pathOfText(path), index] }));
};

const filesOf = (place: Place): Named[] => [
  ...identityOf(place),
  ...(place.agent.skill_bundles ?? []).flatMap((name): Named[] => {
    const bundle = entryOf(place.config.skill_bundles, name);
    if (bundle === null) return [];
    const { base, home } = place.host;
    return [
      {
        absolute: absolutePath(base, home, bundle.directory),
        at: ['skill_bundles', name, 'directory'],
      },
    ];
  }),
];

const checkFile = (context: CheckContext, place: Place, { absolute, at }: Named) => {
  const why = whyClosed(place, absolute);
  if (why === null) return [];
  const message = `\`${absolute}\` ${why}, so \`${place.alias}\` cannot be given it`;
  return [atValue(context, 'protected_path', at, message)];
};

const whyClosed = (place: Place, path: string): string | null => {
  const { config, host } = place;
  const forbidden = registry['workspace.forbidden_paths']
    .derive(place)
    .value.find((one) =>
      one.startsWith('**/') ? matchesBelow(one, path.slice(1)) : isWithin(one, path),
    );
  if (forbidden !== undefined) return `lies under the forbidden path \`${forbidden}\``;
  const secrets = secretFilesOf(config).map((file) => absolutePath(host.base, host.home, file));
  const closed = [host.config, ...host.program, ...secrets].find((one) => isWithin(one, path));
  if (closed !== undefined) return `lies under \`${closed}\`, which no setting can open`;
  const workspaces = `${host.data}/workspaces`;
  return isWithin(host.data, path) && !isWithin(workspaces, path)
    ? `lies under \`${host.data}\`, which no setting can open`
    : null;
};

/** A file that one agent may write would be the identity of another as well. */
const shared = (context: CheckContext, place: Place, places: readonly Place[]): ConfigProblem[] => {
  if (!registry['context.identity.writable'].derive(place).value) return [];
  return identityOf(place).flatMap(({ absolute, at }) => {
    const other = places.find(
      (one) =>
        one.alias !== place.alias && identityOf(one).some((file) => file.absolute === absolute),
    );
    if (other === undefined) return [];
    const message = `\`${place.alias}\` may write \`${absolute}\`, which \`${other.alias}\` is given too: give each a file of its own`;
    return [atValue(context, 'conflict', at, message)];
  });
};
