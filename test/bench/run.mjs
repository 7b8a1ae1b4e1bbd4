// `npm run bench [-- --quick] [name ...]`: builds, runs every bench in a process of its own, prints a table and, after a whole long
// run, writes docs/benchmarks.md.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { buildDaemon, root } from '../../.ci/setup.mjs';

const benches = [
  {
    name: 'decisions',
    title: 'Decisions',
    about: 'the two pure functions that every turn rests on',
  },
  {
    name: 'turns',
    title: 'Turns',
    about:
      'a turn makes five tool calls, one a step, and is followed from launch to its recorded end; model and tools answer at once; each append is one fsync, shared by those that wait together',
  },
  {
    name: 'append',
    title: 'Appends',
    about: 'one to five events each, durable before they are answered',
  },
  {
    name: 'fold',
    title: 'Folds',
    about: 'over a log of whole turns in memory, without reading or writing',
  },
  {
    name: 'replay',
    title: 'Replays',
    about: 'recorded turns of five tool calls made again from their log, in seconds of one core',
  },
  {
    name: 'backtest',
    title: 'Backtests',
    about:
      'recorded turns of five tool calls judged under a config that changes none of them, in two threads over a log on disk',
  },
  {
    name: 'history',
    title: 'Long history',
    about: 'the daemon as it is built, in a process of its own, on a log of whole turns',
  },
  {
    name: 'soak',
    title: 'Soak',
    about:
      'turns of five tool calls, eight at once, in one process on SQLite with the read models; memory after a collection, at ten points',
  },
  {
    name: 'restart',
    title: 'Restart',
    about:
      'the daemon as it is built, killed while a thousand turns wait for a person and a hundred others work, and started again',
  },
  {
    name: 'kill',
    title: 'Kills',
    about:
      'the daemon as it is built, killed once a round under turns of five paths that call tools, ask a person and let another agent work; the log is checked after each, all that is open is brought to its end, and what the tools really did is counted outside',
  },
];

const args = process.argv.slice(2);
const quick = args.includes('--quick');
const names = args.filter((arg) => !arg.startsWith('--'));
const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `lockstep: no bench is called \`${unknown[0]}\`, choose from ${benches.map((b) => b.name).join(', ')}\n`,
  );
  process.exit(2);
}

/** Runs one bench from the build (only the bench itself is TypeScript) and gathers its figures. */
const run = ({ name }) =>
  new Promise((done) => {
    const figures = [];
    let rest = '';
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', join(root, `test/bench/${name}.bench.ts`), ...(quick ? ['--quick'] : [])],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    child.stdout.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const figure = JSON.parse(line);
        figures.push(figure);
        process.stdout.write(`  ${cellsOf(figure).join('   ')}\n`);
      }
    });
    child.on('exit', (code) => done({ figures, ok: code === 0 }));
  });

const number = (value) =>
  value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });

/** How far a figure is from its aim; 1.00 or more = reached. */
const ratio = ({ value, aim }) =>
  'atLeast' in aim ? value / aim.atLeast : aim.atMost / Math.max(value, 1e-9);

const cellsOf = (figure) => {
  const { what, value, unit, aim } = figure;
  const wanted =
    aim === null ? '' : 'atLeast' in aim ? `≥ ${number(aim.atLeast)}` : `≤ ${number(aim.atMost)}`;
  return [what, `${number(value)} ${unit}`, wanted, aim === null ? '' : ratio(figure).toFixed(2)];
};

const load = () => loadavg()[0].toFixed(1);

const tableOf = ({ title, about, figures, before, after }) => {
  const rows = figures.map((figure) => `| ${cellsOf(figure).join(' | ')} |`);
  return [
    `## ${title}`,
    '',
    `${about[0].toUpperCase()}${about.slice(1)}. Load while it ran: ${before} to ${after}.`,
    '',
    '| what | measured | aim | ratio |',
    '| --- | ---: | ---: | ---: |',
    ...rows,
    '',
  ].join('\n');
};

/** Time of one SHA-256 of 1 KiB in pure JavaScript, in us of one core: how fast this machine is while it is measured. */
const hashMicros = async () => {
  const { digestOfText } = await import('@lockstep/policy');
  const text = 'x'.repeat(1024);
  let took = 0;
  let rounds = 0;
  // The first rounds are for the compiler.
  for (const goes of [20_000, 50_000]) {
    const begin = process.cpuUsage();
    for (let i = 0; i < goes; i += 1) digestOfText(text);
    const { user, system } = process.cpuUsage(begin);
    took = user + system;
    rounds = goes;
  }
  return took / rounds;
};

const page = (results) => `# Benchmarks

Written by \`npm run bench\`, which builds and measures again; \`npm run bench -- --quick\` takes a first look and leaves this page
alone. A ratio of 1.00 or more means that the aim is reached. The aims are for two free cores. The load average says how many
programs wanted a core at the same time: above the number of cores, the figures are lower than the machine can do.

Machine: ${machine}.

${results.map(tableOf).join('\n')}`;

process.stdout.write('building …\n');
buildDaemon();
const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release().split('-')[0]}, Node ${process.versions.node}; SHA-256 of 1 KiB in JavaScript takes ${(await hashMicros()).toFixed(1)} us`;
process.stdout.write(`${machine}\n`);
const results = [];
let failed = false;
for (const bench of benches) {
  if (names.length > 0 && !names.includes(bench.name)) continue;
  const before = load();
  process.stdout.write(`${bench.title} (load ${before})\n`);
  const { figures, ok } = await run(bench);
  failed ||= !ok;
  if (!ok) process.stderr.write(`lockstep: the bench \`${bench.name}\` failed\n`);
  results.push({ ...bench, figures, before, after: load() });
}
if (!quick && !failed && names.length === 0) {
  writeFileSync(join(root, 'docs/benchmarks.md'), page(results));
  process.stdout.write('docs/benchmarks.md is written\n');
}
process.exit(failed ? 1 : 0);
