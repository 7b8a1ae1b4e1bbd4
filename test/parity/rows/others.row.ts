import type { RowsOf } from './row.ts';

const allowed = { delegation: { mode: 'allow' } };
const edges = { delegates: [{ agent: 'ben', mode: 'bounded' }] };
const desk = {
  channels: { webhook: { desk: { secret: { env: 'DESK' } } } },
  peer_groups: {
    desk: { channel: 'webhook.desk', agents: ['ada', 'ben'], external_peers: ['user-1'] },
  },
};
const release = {
  sops: { release: { triggers: ['tool'], steps: [{ agent: 'ben', prompt: 'x' }] } },
};

export const delegationRows = {
  'delegation.mode': [
    { title: 'absent is forbidden', agent: {}, expected: 'forbidden' },
    { title: 'written', agent: allowed, expected: 'allow' },
  ],
  'delegation.delegates': [
    { title: 'absent is nobody', agent: {}, expected: {} },
    { title: 'an edge', agent: { ...allowed, ...edges }, expected: { ben: 'bounded' } },
  ],
  'delegation.max_depth': [
    { title: 'absent is three', agent: {}, expected: 3 },
    { title: 'written', agent: { delegation: { max_depth: 1 } }, expected: 1 },
  ],
  'delegation.spawn': [
    { title: 'absent is closed', agent: {}, expected: false },
    {
      title: 'written',
      agent: { delegation: { mode: 'allow', spawn: true } },
      expected: true,
    },
  ],
  'delegation.sops': [
    { title: 'absent is none', agent: {}, expected: [] },
    {
      title: 'a procedure',
      agent: { delegation: { mode: 'allow', sops: ['release'] } },
      rest: release,
      expected: ['release'],
    },
  ],
} satisfies RowsOf<'delegation'>;

export const channelsRows = {
  'channels.bindings': [
    { title: 'absent is none', agent: {}, expected: [] },
    {
      title: 'a channel',
      agent: { channels: ['webhook.desk'] },
      rest: desk,
      expected: ['webhook.desk'],
    },
  ],
  'channels.peers': [
    { title: 'absent is nobody', agent: {}, expected: {} },
    {
      title: 'a group',
      agent: { channels: ['webhook.desk'] },
      rest: desk,
      expected: { 'webhook.desk': { inbound: ['user-1'], ignore: [], agents: ['ben'] } },
    },
  ],
} satisfies RowsOf<'channels'>;
