import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { killNames, killRounds } from '../support/kill-rounds.ts';
import { processFolder } from '../support/lockstep-process.ts';
import { richConfig, richScript } from '../support/rich-team.ts';
import { quick, report } from './figures.ts';

// The daemon as it is built, killed once a round at another moment under turns of several paths.
const rounds = Number(process.env['LOCKSTEP_KILL_ROUNDS'] ?? (quick ? 20 : 300));

/** Events after which it dies, spread over what a round's work records; the same in every run. */
const after = Array.from({ length: rounds }, (_, n) => Math.floor(((n * 0.618_034) % 1) * 200));

const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200).end());
});
await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
const { port } = receiver.address() as AddressInfo;
const place = await processFolder('', richScript(killNames(rounds)));
const lines = join(place.folder, 'lines');
await writeFile(place.config, richConfig(lines, `http://127.0.0.1:${port}`));
try {
  const killed = await killRounds(place, { lines, after }, (round) => {
    if ((round + 1) % 20 === 0) process.stderr.write(`  ${round + 1} rounds\n`);
  });
  report('kills of the daemon under load', killed.rounds, 'rounds');
  report('turns begun before and after them', killed.turns, 'turns');
  report('calls started, none run twice', killed.calls, 'calls');
  report('calls that really ran at the tool server', killed.ran, 'calls');
  report('calls whose outcome is not known', killed.unknown, 'calls');
  report('events in the log at the end', killed.events, 'events');
  report('events lost, calls run twice, things left open', killed.problems.length, 'problems', {
    atMost: 0,
  });
  for (const problem of killed.problems.slice(0, 20)) process.stderr.write(`  ${problem}\n`);
  if (killed.problems.length > 0) process.exitCode = 1;
} finally {
  await place.remove();
  receiver.close();
}
