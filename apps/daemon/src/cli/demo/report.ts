import pc from 'picocolors';
import { pathNames, settingKeys, type PathName, type SettingKey } from '@lockstep/policy';
import { z } from 'zod';
import type { ApiClient } from '../client.ts';
import { table } from '../print.ts';

/** What one setting came to on one path, over all agents and triggers. */
export interface DemoCell {
  readonly setting: SettingKey;
  readonly path: PathName;
  /** `quiet`: it could have acted, and had nothing to decide. */
  readonly state: 'acted' | 'quiet' | 'gap' | 'n/a';
  /** How often it acted. */
  readonly bites: number;
  /** Of a gap, and of what cannot act here. */
  readonly reason: string | null;
}

const cellBody = z.looseObject({
  state: z.string(),
  reason: z.string().optional(),
  triggers: z.record(
    z.string(),
    z.looseObject({ bites: z.looseObject({ live: z.number(), probe: z.number() }) }),
  ),
});
const matrixBody = z.looseObject({
  rows: z.array(z.looseObject({ setting: z.string(), cells: z.record(z.string(), cellBody) })),
});

const detailBody = z.looseObject({ cell: z.looseObject({ reason: z.string().optional() }) });

/** The matrix as the daemon counts it. A cell there is the worst over all agents; here it counts that somebody was held. */
export const cellsOf = async (client: ApiClient): Promise<readonly DemoCell[]> => {
  const { rows } = matrixBody.parse(await client.get('/v1/parity'));
  const cells = settingKeys.flatMap((setting) =>
    pathNames.flatMap((path): DemoCell[] => {
      const cell = rows.find((row) => row.setting === setting)?.cells[path];
      if (cell === undefined) return [];
      const triggers = Object.values(cell.triggers);
      const bites = triggers.reduce((sum, { bites: b }) => sum + b.live + b.probe, 0);
      const state = stateOf(cell.state, bites);
      return [{ setting, path, bites, state, reason: cell.reason ?? null }];
    }),
  );
  return Promise.all(cells.map((cell) => explained(client, cell)));
};

/** Why the setting cannot act: of an agent that every path leads to. */
const explained = async (client: ApiClient, cell: DemoCell): Promise<DemoCell> => {
  if (cell.state !== 'n/a') return cell;
  const asked = await client.get(`/v1/parity/cells/${cell.setting}/${cell.path}?agent=writer`);
  return { ...cell, reason: detailBody.parse(asked).cell.reason ?? cell.reason };
};

const stateOf = (state: string, bites: number): DemoCell['state'] => {
  if (state === 'gap') return 'gap';
  if (bites > 0) return 'acted';
  return state === 'n/a' ? 'n/a' : 'quiet';
};

/** The table of settings and paths, and what it comes to. */
export const shownCells = (cells: readonly DemoCell[]): string => {
  const rows = settingKeys.map((setting) => [
    setting,
    ...pathNames.map((path) => {
      const cell = cells.find((one) => one.setting === setting && one.path === path);
      return cell === undefined ? '' : mark(cell);
    }),
  ]);
  const able = cells.filter(({ state }) => state !== 'n/a');
  const acted = able.filter(({ state }) => state === 'acted').length;
  const gaps = able.filter(({ state }) => state === 'gap');
  return [
    table(['setting', ...pathNames], rows),
    `${acted} of ${able.length} cells that can act were seen to act; ${cells.length - able.length} cannot`,
    ...gaps.map(({ setting, path, reason }) =>
      pc.red(`gap: ${setting} on ${path}: ${reason ?? ''}`),
    ),
    ...notes(cells, 'quiet', 'had nothing to decide'),
    ...notes(cells, 'n/a', 'cannot act'),
  ].join('\n');
};

const mark = ({ state, bites }: DemoCell): string => {
  switch (state) {
    case 'acted':
      return pc.green(`● ${bites}`);
    case 'quiet':
      return pc.yellow('○ never');
    case 'gap':
      return pc.red('✕ gap');
    case 'n/a':
      return pc.dim('–');
  }
};

/** One line for each setting and reason. */
const notes = (
  cells: readonly DemoCell[],
  state: DemoCell['state'],
  what: string,
): readonly string[] => {
  const byNote = new Map<string, { readonly cell: DemoCell; readonly paths: PathName[] }>();
  for (const cell of cells.filter((one) => one.state === state)) {
    const key = `${cell.setting} ${state === 'n/a' ? (cell.reason ?? '') : ''}`;
    const known = byNote.get(key);
    if (known === undefined) byNote.set(key, { cell, paths: [cell.path] });
    else known.paths.push(cell.path);
  }
  return [...byNote.values()].map(({ cell, paths }) => {
    const why = state === 'n/a' && cell.reason !== null ? `: ${cell.reason}` : '';
    return pc.dim(`${cell.setting} ${what} on ${paths.join(', ')}${why}`);
  });
};
