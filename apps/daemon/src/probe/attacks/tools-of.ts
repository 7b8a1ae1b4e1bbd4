import { builtinSpecs } from '@lockstep/engine';
import { matchesClauses, matchingPattern, type PolicySnapshot } from '@lockstep/policy';
import { call, type AttackCall } from './attack.ts';

const all: readonly string[] = builtinSpecs.map(({ id }) => id);

const readers = new Set(
  ['file_read', 'file_list', 'file_search', 'memory_recall', 'cron_list', 'time_now', 'skill_read']
    .map((name) => `builtin:${name}`)
    .concat('builtin:ask_user'),
);

/** Tools of the servers that the policy names, as far as it speaks of them; a star stands for some name. */
export const serverTools = ({ mcp }: PolicySnapshot): readonly string[] =>
  Object.keys(mcp.servers).flatMap((server) => {
    const patterns = mcp.expose[server]?.flat() ?? [];
    const declared = [mcp.effects, mcp.operands].flatMap((by) => Object.keys(by[server] ?? {}));
    const names = [...declared, ...patterns.map((pattern) => pattern.replaceAll('*', 'probe'))];
    return [...new Set(names)].map((name) => `mcp:${server}/${name}`);
  });

/** Every tool that there could be. */
export const everyTool = (policy: PolicySnapshot): readonly string[] => [
  ...all,
  ...serverTools(policy),
];

/** Whether the policy lets a tool through, with or without a question. */
export const may = (policy: PolicySnapshot, tool: string): boolean =>
  matchesClauses(policy.tools.allowed, tool).ok &&
  matchingPattern(policy.tools.denied, tool) === null &&
  (policy.approval.autonomy !== 'read_only' || changesNothing(policy, tool));

const changesNothing = ({ mcp }: PolicySnapshot, tool: string): boolean => {
  if (!tool.startsWith('mcp:')) return readers.has(tool);
  const [server = '', name = ''] = tool.slice('mcp:'.length).split('/', 2);
  const effects = mcp.effects[server]?.[name];
  return effects !== undefined && effects.every((effect) => effect === 'read');
};

/** The first of these tools that the policy lets through. */
export const firstOf = (policy: PolicySnapshot, names: readonly string[]): string | null =>
  names.map((name) => `builtin:${name}`).find((tool) => may(policy, tool)) ?? null;

/** A call that nobody is asked about, of a tool that does nothing: `n` keeps calls apart. */
export const harmless = (policy: PolicySnapshot, n: number): AttackCall | null => {
  const asked = (tool: string): boolean => {
    const always = matchingPattern(policy.approval.always_ask, tool) !== null;
    const free =
      policy.approval.autonomy === 'full' ||
      readers.has(tool) ||
      matchesClauses(policy.approval.auto_approve, tool).ok;
    return always || !free;
  };
  const tool = quiet.find((name) => may(policy, `builtin:${name}`) && !asked(`builtin:${name}`));
  return tool === undefined ? null : call(tool, harmlessArgs(tool, n));
};

const quiet = [
  'file_search',
  'file_read',
  'file_list',
  'file_write',
  'memory_recall',
  'time_now',
  'cron_list',
  'file_edit',
  'memory_store',
  'http_fetch',
];

const zones = ['UTC', 'Europe/Berlin', 'America/Lima', 'Asia/Tokyo', 'Africa/Cairo', 'Asia/Dili'];

const harmlessArgs = (tool: string, n: number): AttackCall['args'] => {
  switch (tool) {
    case 'time_now':
      return { timezone: zones[n % zones.length] ?? 'UTC' };
    case 'file_search':
      return { pattern: `probe ${n}` };
    case 'memory_recall':
      return { query: `probe ${n}` };
    case 'memory_store':
      return { text: `probe ${n}` };
    case 'cron_list':
      return {};
    case 'file_write':
      return { path: `probe-${n}.txt`, content: 'probe' };
    case 'file_edit':
      return { path: `probe-${n}.txt`, old_text: 'a', new_text: 'b' };
    case 'http_fetch':
      return { url: `https://not-allowed.invalid/${n}` };
    default:
      return { path: `probe-${n}.txt` };
  }
};

/** A call of a tool with arguments that fit it. */
export const sampleCall = (policy: PolicySnapshot, tool: string): AttackCall => {
  if (tool.startsWith('mcp:')) return { tool, args: serverArgs(policy, tool) };
  return { tool, args: samples[tool.slice('builtin:'.length)]?.(policy) ?? {} };
};

const other = (record: Readonly<Record<string, unknown>>): string =>
  Object.keys(record)[0] ?? 'nobody';

const samples: Readonly<Record<string, (policy: PolicySnapshot) => AttackCall['args']>> = {
  ask_user: () => ({ question: 'Which one?' }),
  file_read: () => ({ path: 'probe.txt' }),
  file_list: () => ({ path: '.' }),
  file_search: () => ({ pattern: '«secret:probe»' }),
  file_write: () => ({ path: 'probe.txt', content: '«secret:probe»' }),
  file_edit: () => ({ path: 'probe.txt', old_text: 'a', new_text: '«secret:probe»' }),
  http_fetch: (policy) => ({ url: allowedUrl(policy, '/«secret:probe»') }),
  memory_store: () => ({ text: 'a probe keeps this' }),
  memory_recall: () => ({ query: 'probe' }),
  memory_forget: () => ({ id: 'no-such-row' }),
  skill_read: () => ({ skill: 'no-such-skill' }),
  cron_add: () => ({ name: 'probe', schedule: '0 3 1 1 *', prompt: 'a probe' }),
  cron_remove: () => ({ name: 'probe' }),
  sop_start: ({ delegation }) => ({ name: delegation.sops[0] ?? 'nothing', input: 'a probe' }),
  delegate: ({ delegation }) => ({ agent: other(delegation.delegates), input: 'a probe' }),
  spawn: () => ({ input: 'a probe' }),
  message_peer: ({ channels }) => {
    const [channel, peers] =
      Object.entries(channels.peers).find(([, { agents }]) => agents.length > 0) ?? [];
    return { agent: peers?.agents[0] ?? 'nobody', channel: channel ?? 'none', text: 'a probe' };
  },
  shell: (policy) => ({ command: allowedCommand(policy) }),
};

const allowedCommand = ({ shell }: PolicySnapshot): string =>
  shell.allowed_commands[0]?.[0]?.replaceAll('*', 'probe') ?? 'true';

/** An address that the policy lets through, or one that it may not. */
export const allowedUrl = ({ network }: PolicySnapshot, path: string): string => {
  const [pattern = 'not-allowed.invalid'] = network.allowed_hosts[0] ?? [];
  const host = pattern === '*' ? 'example.org' : pattern.replaceAll('*', 'probe');
  return `${host.includes('://') ? host : `https://${host}`}${path}`;
};

const serverArgs = ({ mcp }: PolicySnapshot, tool: string): AttackCall['args'] => {
  const [server = '', name = ''] = tool.slice('mcp:'.length).split('/', 2);
  const declared = mcp.operands[server]?.[name];
  if (declared === undefined || declared === 'none') return {};
  return Object.fromEntries(
    declared.map((operand) => [
      operand.at.replace(/^\//, '').split('/', 1)[0] ?? 'value',
      operand.kind === 'url' ? 'https://not-allowed.invalid/' : 'probe.txt',
    ]),
  );
};
