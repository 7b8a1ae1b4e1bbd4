import { checkLog, logPath } from '@lockstep/daemon';
import type { EventStore } from '@lockstep/engine';
import { afterEach, expect, it } from 'vitest';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful]
autonomy = "full"
[risk_profiles.careful.tools]
allowed = ["time_now"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;
const script = `
default:
  - calls: [{ tool: time_now, args: {} }]
  - say: done
`;

/** A disk that takes its time for each append, one after the other. */
const slow =
  (ms: number) =>
  (store: EventStore): EventStore => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      ...store,
      append: (stream, events, expected) => {
        const mine = last.then(async () => {
          await new Promise((later) => setTimeout(later, ms));
          return store.append(stream, events, expected);
        });
        last = mine;
        return mine;
      },
    };
  };

let running: RunningDaemon | null = null;
afterEach(() => running?.remove());

it('acknowledges nothing before it is durable, and loses nothing, however slow the disk is', async () => {
  running = await runDaemon(config, script, { overLog: slow(15) });
  const admin = running.admin();
  const since = performance.now();
  const turns = await Promise.all(
    Array.from({ length: 20 }, () =>
      admin.post('/v1/agents/alpha/turns', { input: 'go', wait: true }),
    ),
  );
  expect(turns.map(({ body }) => (body as { status: string }).status)).toEqual(
    Array.from({ length: 20 }, () => 'completed'),
  );
  // A message, and at least three appends of its turn.
  expect(performance.now() - since).toBeGreaterThan(20 * 4 * 15);
  await running.stop();
  expect((await checkLog(logPath(running.data))).problems).toEqual([]);
});
