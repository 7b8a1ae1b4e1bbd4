import type { PathName } from '@lockstep/policy';
import type { DemoAgent, Scenario } from './scenarios.ts';
import type { Way } from './way.ts';
import { bounded, headless, independent, live, peer } from './ways-inside.ts';
import { acp, jsonRpc, openAi, rest, run, webhook, webSocket } from './ways-outside.ts';

/** Agents that the lead may delegate to without its own policy bounding them. */
const independents: ReadonlySet<DemoAgent> = new Set<DemoAgent>(['runner', 'hurried']);

/** The ways to an agent on each path; a path that does not lead to it has none. Jobs and sub-agents come besides: a job has its own prompt. */
export const waysTo = (agent: DemoAgent): Readonly<Record<PathName, readonly Way[]>> => {
  const isLead = agent === 'lead';
  return {
    channel: isLead ? [webhook] : [webhook, peer],
    // An editor gets no tool servers: what needs them comes over the socket.
    rpc: [jsonRpc, acp, jsonRpc],
    gateway: [rest, webSocket, openAi],
    loop: [run],
    delegate: isLead ? [] : [independents.has(agent) ? independent : bounded],
    sop: isLead ? [headless] : [headless, live],
  };
};

/** Hands out the ways of a path in turn, so that each trigger is seen; a session stays with the first way that keeps one. */
export class Rota {
  readonly #uses = new Map<string, number>();

  next(path: PathName, { agent, session }: Scenario): Way | null {
    const ways = waysTo(agent)[path];
    const keeping = session === null ? undefined : ways.find(({ keepsSession }) => keepsSession);
    if (keeping !== undefined) return keeping;
    const key = `${path} ${agent}`;
    const used = this.#uses.get(key) ?? 0;
    this.#uses.set(key, used + 1);
    return ways[used % ways.length] ?? null;
  }
}
