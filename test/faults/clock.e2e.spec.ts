import { checkLog, logPath } from '@lockstep/daemon';
import type { LockstepEvent } from '@lockstep/engine';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { approveAll } from '../support/rich-team.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_*"]
[risk_profiles.careful.approval]
timeout_secs = 86400
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[cron.often]
agent = "alpha"
schedule = "*/2 * * * * *"
prompt = "by the clock"
overlap = "queue"
missed = "run_once"
`;
const script = `
scenarios:
  - when: "write"
    steps:
      - calls: [{ tool: "file_write", args: { path: "a.md", content: "x" } }]
      - say: "written"
default: [{ say: "plain" }]
`;

let running: RunningDaemon | null = null;
afterEach(() => running?.remove());

it('lets no request expire early, runs no time of a job twice and records no time that goes back, however the clock jumps', async () => {
  let ahead = 0;
  running = await runDaemon(config, script, { clock: { now: () => Date.now() + ahead } });
  const place = running;
  const events = async (...types: string[]): Promise<LockstepEvent[]> => {
    const { body } = await place
      .admin()
      .get(`/v1/events?after=start&limit=1000&types=${types.join(',')}`);
    return (body as { items: LockstepEvent[] }).items;
  };
  const start = async (input: string): Promise<{ id: string; status: string }> =>
    (await place.admin().post('/v1/agents/alpha/turns', { input, wait: true })).body as {
      id: string;
      status: string;
    };
  const runs = async (more: number): Promise<number> => {
    const before = (await events('JobRun')).length;
    return eventually('further runs of the job', async () => {
      const now = (await events('JobRun')).length;
      return now >= before + more ? now : null;
    });
  };
  const { id: turn, status } = await start('write');
  expect(status).toBe('waiting');
  await runs(1);
  // Within the request's day, then back before everything that was recorded.
  for (const jump of [23 * 3_600_000, -48 * 3_600_000, 3_600_000]) {
    ahead = jump;
    expect((await start('plain')).status).toBe('completed');
  }
  expect(await events('ApprovalExpired')).toEqual([]);
  ahead = 0;
  expect(await approveAll(place.admin())).toBe(1);
  await eventually('the end of the turn', async () => {
    const { body } = await place.admin().get(`/v1/turns/${turn}`);
    return (body as { row: { status: string } }).row.status === 'completed' ? true : null;
  });
  // A clock that went ahead and came back leaves no time to be taken again.
  ahead = 30_000;
  await running.stop();
  await running.start();
  const due = (await events('JobDue')).map(({ data }) => ('due' in data ? data.due : 0));
  expect(due.length).toBe(new Set(due).size);
  expect([...due].sort((a, b) => a - b)).toEqual(due);
  await running.stop();
  expect((await checkLog(logPath(running.data))).problems).toEqual([]);
});
