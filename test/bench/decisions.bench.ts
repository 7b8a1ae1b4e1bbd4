import { authorize, builtinSpecs } from '@lockstep/engine';
import {
  sampleCall,
  sampleFacts,
  samplePath,
  samplePolicy,
  sampleState,
  sampleTool,
} from '@lockstep/engine/testing';
import { resolve, type ResolveRequest } from '@lockstep/policy';
import { percentile, quick, report, timesOf } from './figures.ts';
import { benchConfig } from './turn-world.ts';

// The two pure functions that every turn rests on: resolve() once, authorize() for every call.
const milliseconds = quick ? 500 : 3_000;

const reportTimes = (what: string, times: number[], aim: number): void => {
  report(`${what} p50`, percentile(times, 0.5), 'us', { atMost: aim });
  report(`${what} p99`, percentile(times, 0.99), 'us');
};

const applied = benchConfig();
const request: ResolveRequest = {
  agent: 'a',
  principal: { kind: 'local', id: 'local', person: null },
  session: 'session-a-1',
  origin: { kind: 'run' },
  client: 'none',
};
reportTimes(
  'resolve()',
  timesOf(() => resolve(applied, request, {}), milliseconds),
  50,
);

const policy = samplePolicy({
  tools: { allowed: [['builtin:file_*', 'builtin:time_now']], denied: ['builtin:file_edit'] },
  approval: { auto_approve: [['builtin:file_*']] },
});
const read = sampleTool('file_read');
const state = sampleState(policy, builtinSpecs);
// Different calls, as in life: another path and other arguments each time.
const calls = Array.from({ length: 1_024 }, (_, n) => {
  const path = `notes/${n}.md`;
  const call = sampleCall(read, { path });
  return { call, facts: sampleFacts(read, { operands: [samplePath(path)] }) };
});
const kinds = new Set(calls.map(({ call, facts }) => authorize(call, facts, state).kind));
if (kinds.size !== 1 || !kinds.has('allow')) throw new Error(`verdicts: ${[...kinds].join()}`);
let next = 0;
reportTimes(
  'authorize() of a file read',
  timesOf(() => {
    const { call, facts } = calls[next++ % calls.length] ?? calls[0]!;
    return authorize(call, facts, state);
  }, milliseconds),
  10,
);
