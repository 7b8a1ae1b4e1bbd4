import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startScriptedServer } from '../support/http-script.ts';
import { killNames, killRounds } from '../support/kill-rounds.ts';
import { processFolder, type ProcessFolder } from '../support/lockstep-process.ts';
import { richConfig, richScript } from '../support/rich-team.ts';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

it('loses nothing and runs nothing twice, whenever the daemon is killed under turns of many paths', async () => {
  // Events after which it dies: from the first of its work to the time when everything is about to end.
  const after = [3, 60, 170];
  const receiver = await startScriptedServer((_seen, response) => {
    response.writeHead(200).end();
  });
  undo.push(() => receiver.close());
  const place: ProcessFolder = await processFolder('', richScript(killNames(after.length)));
  undo.push(() => place.remove());
  const lines = join(place.folder, 'lines');
  await writeFile(place.config, richConfig(lines, receiver.url));
  const killed = await killRounds(place, { lines, after });
  expect(killed.problems).toEqual([]);
  expect(killed.turns).toBeGreaterThan(after.length);
});
