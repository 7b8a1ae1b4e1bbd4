import { describe, expect, it } from 'vitest';
import { parseConfig } from '../parse-config.ts';
import { complete, problemsIn, warningsIn } from '../parse-config.fixture.ts';

const next = complete.split('\n').length;
const fromText = (lines: readonly string[]): string[] =>
  lines.map((problem) => problem.replace(/^\d+/, (line) => String(Number(line) - next + 1)));

/** The problems of a complete agent with more text, which begins on line 1. */
const added = (text: string): string[] => fromText(problemsIn(complete + text));
const warned = (text: string): string[] => fromText(warningsIn(complete + text));

const channel = '[channels.webhook.support]\nsecret = { env = "S" }\n';

describe('a trigger that two procedures name', () => {
  it('starts one of them only, so it is refused', () => {
    const sop = (name: string): string =>
      `[sops.${name}]\ntriggers = ["cron:j", "manual"]\nsteps = [{ agent = "a", prompt = "x" }]\n`;
    const job = '[cron.j]\nagent = "a"\nschedule = "0 7 * * *"\nprompt = "x"\n';
    expect(added(sop('one') + sop('two') + job)).toEqual([
      '5:13 sops.two.triggers[0] conflict: `cron:j` starts procedure `one` already, and one time or message starts one',
    ]);
  });
});

describe('a name that leads nowhere', () => {
  it.each([
    [
      '[agents.b]\nchannels = ["webhook.suport"]\n' + channel,
      '2:13 agents.b.channels[0] unknown_name: unknown channel `webhook.suport`, did you mean `webhook.support`?',
    ],
    [
      '[agents.b]\nskill_bundles = ["writing"]',
      '2:18 agents.b.skill_bundles[0] unknown_name: unknown skill bundle `writing`, no [skill_bundles] is defined',
    ],
    [
      '[cron.j]\nagent = "aa"\nschedule = "0 7 * * *"\nprompt = "x"',
      '2:9 cron.j.agent unknown_name: unknown agent `aa`',
    ],
    [
      '[heartbeat.bee]\nevery = "1h"\nprompt = "x"',
      '1:12 heartbeat.bee unknown_name: unknown agent `bee`',
    ],
    [
      '[agents.a.delegation]\nmode = "allow"\nsops = ["releas"]\n[sops.release]\nsteps = [{ agent = "a", prompt = "x" }]',
      '3:9 agents.a.delegation.sops[0] unknown_name: unknown procedure `releas`, did you mean `release`?',
    ],
    [
      '[agents.a.memory]\nread_memory_from = ["reviewer"]',
      '2:21 agents.a.memory.read_memory_from[0] unknown_name: unknown agent `reviewer`',
    ],
    [
      '[agents.a.approval.route]\napprover = "people:ana"',
      '2:12 agents.a.approval.route.approver unknown_name: unknown person `ana`, no [people] is defined',
    ],
    [
      '[agents.a.approval.route]\napprover = "role:aprover"',
      '2:12 agents.a.approval.route.approver unknown_name: unknown role `aprover`, did you mean `approver`?',
    ],
    [
      '[agents.a.approval.route]\napprover = "channel:slack.ops/C1"',
      '2:12 agents.a.approval.route.approver unknown_name: unknown channel `slack.ops`, no [channels] is defined',
    ],
    [
      '[agents.a.approval.route]\napprover = "bob"',
      '2:12 agents.a.approval.route.approver invalid_value: `bob` is no approver, write `inbox`, `people:<name>`, `role:<role>` or `channel:<kind>.<channel>/<conversation>`',
    ],
    [
      '[sops.s]\ntriggers = ["cron:nightly", "channel:webhook.x"]\nsteps = [{ agent = "a", prompt = "x" }]',
      '2:13 sops.s.triggers[0] unknown_name: unknown job `nightly`, no [cron] is defined',
      '2:29 sops.s.triggers[1] unknown_name: unknown channel `webhook.x`, no [channels] is defined',
    ],
    [
      '[sops.s]\nsteps = [{ agent = "b", prompt = "x" }]',
      '2:20 sops.s.steps[0].agent unknown_name: unknown agent `b`',
    ],
  ])('is refused: %s', (text, ...problems) => {
    expect(added(text)).toEqual(problems);
  });
});

describe('channels', () => {
  it('lead to one agent each', () => {
    const group =
      '[peer_groups.g]\nchannel = "webhook.support"\nagents = ["a"]\nexternal_peers = ["*"]\n';
    const text = `[agents.b]\nchannels = ["webhook.support"]\n[agents.c]\nchannels = ["webhook.support"]\n${channel}`;
    expect(added(text)).toEqual([
      '4:13 agents.c.channels[0] conflict: `webhook.support` belongs to `b` already, leave one out',
    ]);
    expect(added(`[agents.b]\nchannels = ["webhook.support"]\n${channel}${group}`)).toEqual([
      '8:1 peer_groups.g.external_peers cannot_act: `external_peers` cannot act: channel `webhook.support` leads to `b`, which is not in the group',
    ]);
    expect(added(`${channel}${group}`)).toEqual([]);
  });

  it('on which nobody is heard are worth a warning', () => {
    expect(warned(`[agents.b]\nchannels = ["webhook.support"]\n${channel}`)).toContain(
      '2:13 agents.b.channels[0] cannot_act: `b` listens to nobody on `webhook.support`: name senders in a peer group',
    );
  });
});

describe('edges', () => {
  it('need a mode that allows them, another agent and no second one', () => {
    const text =
      '[agents.b]\ndelegates = [{ agent = "a" }, { agent = "a" }, { agent = "b" }, { agent = "c" }]\n';
    expect(added(text)).toEqual([
      '2:41 agents.b.delegates[1].agent conflict: `a` has an edge already, leave one out',
      '2:58 agents.b.delegates[2].agent cannot_act: `b` needs no edge to itself: use `spawn`',
      '2:75 agents.b.delegates[3].agent unknown_name: unknown agent `c`',
    ]);
    expect(added('[agents.b]\ndelegates = [{ agent = "a" }]')).toEqual([
      '2:1 agents.b.delegates cannot_act: `delegates` cannot act without `delegation.mode = "allow"`',
    ]);
    expect(added('[agents.b.delegation]\nspawn = true')).toEqual([
      '2:1 agents.b.delegation.spawn cannot_act: `spawn` cannot act without `delegation.mode = "allow"`',
    ]);
    expect(added('[agents.b.delegation]\nmode = "allow"\nspawn = true\nmax_depth = 0')).toEqual([
      '3:1 agents.b.delegation.spawn cannot_act: `spawn` cannot act with `delegation.max_depth = 0`',
    ]);
  });

  it('that leave their target no tool are worth a warning', () => {
    const text = (tools: string) =>
      `[agents.b]\nrisk_profile = "careful"\ndelegation.mode = "allow"\ntools.allowed = ["file_*"]\ndelegates = [{ agent = "c"${tools} }]\n[agents.c]\ntools.allowed = ["time_now"]\n`;
    const bare =
      '5:24 agents.b.delegates[0].agent cannot_act: the edge from `b` leaves `c` no tool: nothing is allowed by both';
    expect(warned(text(''))).toContain(bare);
    expect(warned(text(', grants = { tools = ["time_now"] }'))).not.toContain(bare);
  });
});

describe('memory', () => {
  it('is read within one backend only', () => {
    const text =
      '[agents.b.memory]\nread_memory_from = ["a"]\nbackend = "markdown"\n[agents.c.memory]\nread_memory_from = ["a"]\n';
    expect(added(text)).toEqual([
      '2:1 agents.b.memory.read_memory_from conflict: `b` keeps memory in `markdown` and `a` in `sqlite`: rows are read within one backend only',
    ]);
  });

  it('cannot be used where there is none', () => {
    const text = `[agents.b.memory]\nbackend = "none"\nauto_recall = true\nwritable = false\n[cron.j]\nagent = "b"\nschedule = "0 7 * * *"\nprompt = "x"\nuses_memory = true\n`;
    expect(added(text)).toEqual([
      '3:1 agents.b.memory.auto_recall cannot_act: `auto_recall` cannot act with `memory.backend = "none"`',
      '9:1 cron.j.uses_memory cannot_act: `uses_memory` cannot act: `b` has `memory.backend = "none"`',
    ]);
  });
});

describe('procedures', () => {
  it('have templates of what came before, steps of different names and types that there are', () => {
    const text = `[[sops.s.steps]]
agent = "a"
name = "check"
prompt = "{{input}} {{steps.write}}"
[[sops.s.steps]]
agent = "a"
name = "write"
prompt = "{{ steps.check }} {{inputs}}"
output = { type = "objct", properties = { n = { type = "number" } } }
[[sops.s.steps]]
agent = "a"
name = "check"
prompt = "{{steps.write}}"
`;
    expect(added(text)).toEqual([
      '4:10 sops.s.steps[0].prompt unknown_name: `{{steps.write}}` stands for nothing that came before this step',
      '8:10 sops.s.steps[1].prompt unknown_name: `{{inputs}}` stands for nothing that came before this step, did you mean `input`?',
      '9:19 sops.s.steps[1].output.type invalid_value: must be a type of JSON Schema, not `objct`, did you mean `object`?',
      '12:8 sops.s.steps[2].name conflict: `check` is the name of step 1 already, name one otherwise',
    ]);
  });
});

describe('jobs', () => {
  it('have times that come, as the one who reads them says', () => {
    const text = '[agents.a]\n[cron.heartbeat-x]\nagent = "a"\nschedule = "never"\nprompt = "x"\n';
    const parsed = parseConfig({
      text,
      format: 'toml',
      file: 'x',
      judgeSchedule: (schedule) => ({ key: 'schedule', message: `\`${schedule}\` never comes` }),
    });
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      {
        path: 'cron.heartbeat-x',
        line: 2,
        column: 7,
        code: 'conflict',
        message: '`heartbeat-x` could be taken for a heartbeat, name the job otherwise',
      },
      {
        path: 'cron.heartbeat-x.schedule',
        line: 4,
        column: 12,
        code: 'invalid_value',
        message: '`never` never comes',
      },
    ]);
  });
});

describe('what a model is given', () => {
  it('lies under nothing that is closed, and is nobody else to write', () => {
    const text = `[agents.a.context]
identity = { files = ["~/.ssh/me.md", "id.md", "scripts/a.yaml"], writable = true }
[agents.b.context.identity]
files = ["id.md"]
[agents.c]
skill_bundles = ["s"]
[skill_bundles.s]
directory = "/etc/skills"
`;
    expect(added(text)).toEqual([
      '2:23 agents.a.context.identity.files[0] protected_path: `/home/ana/.ssh/me.md` lies under the forbidden path `/home/ana/.ssh`, so `a` cannot be given it',
      '2:39 agents.a.context.identity.files[1] conflict: `a` may write `/srv/team/id.md`, which `b` is given too: give each a file of its own',
      '2:48 agents.a.context.identity.files[2] protected_path: `/srv/team/scripts/a.yaml` lies under `/srv/team/scripts/a.yaml`, which no setting can open, so `a` cannot be given it',
      '8:13 skill_bundles.s.directory protected_path: `/etc/skills` lies under the forbidden path `/etc`, so `c` cannot be given it',
    ]);
  });
});

describe('commands and scripts', () => {
  it('cannot act without a tool that runs them', () => {
    expect(added('[agents.a.shell]\nallowed_commands = ["git status"]')).toEqual([
      '2:1 agents.a.shell.allowed_commands cannot_act: `allowed_commands` cannot act while `tools` allow neither `shell` nor a script of a skill',
    ]);
    expect(
      added('[agents.a.shell]\nallowed_commands = ["git"]\n[agents.a.tools]\nallowed = ["shell"]'),
    ).toEqual([]);
    expect(added('[agents.a.skills]\nallow_scripts = true')).toEqual([
      '2:1 agents.a.skills.allow_scripts cannot_act: `allow_scripts` cannot act without `skill_bundles`',
    ]);
  });
});
