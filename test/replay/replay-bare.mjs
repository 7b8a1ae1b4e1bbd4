// Replays the recorded turns in a process whose ways to the world are closed once the history is read, and says what was tried.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { readFileSync } from 'node:fs';
import { counterfactuals, readHistory, replayer } from '@lockstep/engine';
import { parseStoredConfig } from '@lockstep/policy';

// The way out is opened before all others are closed.
process.stdout.write('');

const texts = ['gateway', 'loop'].map((path) =>
  readFileSync(new URL(`fixtures/demo-${path}.jsonl`, import.meta.url), 'utf8'),
);

const touched = [];
const close = (holder, holderName) => {
  for (const [name, known] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
    if (typeof known.value !== 'function' || !known.configurable) continue;
    const value = () => {
      touched.push(`${holderName}.${name}`);
      throw new Error(`${holderName}.${name} is closed`);
    };
    Object.defineProperty(holder, name, { ...known, value });
  }
};
const require = createRequire(import.meta.url);
// All are loaded before the first is closed: they stand on each other.
const modules = 'fs fs/promises net tls http https dns dgram child_process worker_threads'
  .split(' ')
  .map((name) => ({ name, module: require(`node:${name}`) }));
for (const { name, module } of modules) close(module, name);
syncBuiltinESMExports();
const globals = ['fetch', 'setTimeout', 'setInterval', 'setImmediate'];
const closed = Object.fromEntries(globals.map((name) => [name, globalThis[name]]));
close(closed, 'global');
Object.assign(globalThis, closed);
const now = Date.now;
Date.now = () => {
  touched.push('Date.now');
  return 0;
};
const random = Math.random;
Math.random = () => {
  touched.push('Math.random');
  return 0;
};

const outcomes = new Set();
const compared = new Set();
let turns = 0;
/** The config that a history holds, less one tool. */
const without = (events, denied) => {
  const { data } = events.find(({ type }) => type === 'ConfigApplied');
  const { config } = parseStoredConfig(data.content.inline);
  for (const profile of Object.values(config.risk_profiles))
    profile.tools = { ...profile.tools, denied: [...(profile.tools?.denied ?? []), denied] };
  return { version: 0, digest: data.digest, config, host: data.host };
};
for (const text of texts) {
  const read = readHistory(text);
  const all = replayer(read.events);
  const others = counterfactuals(read.events);
  const config = without(read.events, 'builtin:file_read');
  for (const turn of all.turns) {
    turns += 1;
    for (const ask of [{ steps: 'all' }, { steps: 'all', config }])
      for (const { change } of others.compare(turn, 'required', ask).verdicts) compared.add(change);
    outcomes.add(all.replay(turn, 'required').outcome);
  }
}
Date.now = now;
Math.random = random;
process.stdout.write(
  JSON.stringify({ touched, outcomes: [...outcomes], compared: [...compared].sort(), turns }),
);
