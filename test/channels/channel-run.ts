import type { LockstepEvent } from '@lockstep/engine';
import { eventually } from '../support/eventually.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

/** Two agents with two channels of one kind; Ana may approve, Zed is nobody. */
export const teamConfig = (channels: string, kind: string): string => `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
channels = ["${kind}.main"]
[agents.beta]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
channels = ["${kind}.other"]
[agents.gone]
enabled = false
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
channels = ["${kind}.gone"]
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_write", "ask_user", "time_now"]
[runtime_profiles.short.budgets]
max_tool_iterations = 6
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
${channels}
`;

export const teamScript = `
scenarios:
  - when: "write the plum"
    steps:
      - calls: [{ tool: file_write, args: { path: "plum.txt", content: "plum-content" } }]
      - say: "Wrote it: {{results.0}}"
  - when: "write a lot"
    steps:
      - calls: [{ tool: file_write, args: { path: "lot.txt", content: "${'long line of plums '.repeat(400)}" } }]
      - say: "Wrote a lot."
  - when: "ask me"
    steps:
      - calls: [{ tool: ask_user, args: { question: "Which fruit?", choices: ["plum", "pear"] } }]
      - say: "You said {{results.0}}"
  - when: "long answer"
    steps:
      - say: "${'plum 🍑 '.repeat(900)}"
default: [{ say: "Plain answer." }]
`;

/** Peers and people of a channel kind. */
export const teamPeople = (
  kind: string,
  who: { readonly ana: string; readonly bob: string; readonly ignored: string },
): string => `
[peer_groups.main]
channel = "${kind}.main"
agents = ["alpha"]
external_peers = ["${who.ana}", "${who.bob}", "${who.ignored}"]
ignore = ["${who.ignored}"]
[peer_groups.other]
channel = "${kind}.other"
agents = ["beta"]
external_peers = ["${who.ana}", "${who.bob}"]
[peer_groups.gone]
channel = "${kind}.gone"
agents = ["gone"]
external_peers = ["${who.ana}"]
[people.ana]
identities = ["${kind}.main/${who.ana}", "${kind}.other/${who.ana}"]
roles = ["approver"]
[people.bob]
identities = ["${kind}.main/${who.bob}"]
roles = ["viewer"]
`;

/** The same team on one channel. */
export const oneChannel = (
  kind: string,
  settings: string,
  who: Parameters<typeof teamPeople>[1],
): string =>
  teamConfig(`[channels.${kind}.main]\n${settings}\n${teamPeople(kind, who)}`, kind)
    .replaceAll(/channels = \["\w+\.(other|gone)"\]\n/g, '')
    .replaceAll(/\[peer_groups\.(other|gone)\]\n(?:.+\n){3}/g, '')
    .replace(/, "\w+\.other\/[^"]+"/, '');

/** A daemon with channels, and what its log says. */
export interface ChannelRun extends RunningDaemon {
  readonly events: (...types: LockstepEvent['type'][]) => Promise<readonly LockstepEvent[]>;
  /** Resolves when a channel runs. */
  readonly running: (binding: string) => Promise<void>;
}

export const runChannels = async (config: string): Promise<ChannelRun> => {
  const run = await runDaemon(config, teamScript);
  const events: ChannelRun['events'] = async (...types) => {
    const read = await run.admin().get(`/v1/events?types=${types.join(',')}&limit=500`);
    return (read.body as { readonly items: readonly LockstepEvent[] }).items;
  };
  const running = async (binding: string): Promise<void> => {
    await eventually(`channel ${binding} to run`, async () => {
      const { body } = await run.admin().get('/v1/channels');
      const { items } = body as {
        readonly items: readonly { readonly binding: string; readonly state: string }[];
      };
      return items.find((one) => one.binding === binding && one.state === 'running') ?? null;
    });
  };
  return { ...run, events, running };
};
