import type { RowsOf } from './row.ts';

export const networkRows = {
  'network.allowed_hosts': [
    { title: 'absent is none', agent: {}, expected: [[]] },
    {
      title: 'a list',
      agent: { network: { allowed_hosts: ['b.test', '*.a.test'] } },
      expected: [['*.a.test', 'b.test']],
    },
  ],
  'network.block_private_addresses': [
    { title: 'absent is on', agent: {}, expected: true },
    { title: 'off', agent: { network: { block_private_addresses: false } }, expected: false },
  ],
} satisfies RowsOf<'network'>;

const rest = {
  mcp: {
    servers: {
      files: {
        transport: 'stdio',
        command: 'x',
        expose: ['read_*'],
        tools: {
          read_file: {
            effect: ['read'],
            operands: [{ at: '/path', kind: 'path', access: 'read' }],
          },
        },
      },
      other: { transport: 'stdio', command: 'y', expose: '*', run: 'trusted', share: 'agent' },
    },
  },
  mcp_bundles: { files: { servers: ['files'] }, other: { servers: ['other'] } },
};
const agent = { mcp_bundles: ['files'] };

export const mcpRows = {
  'mcp.bundles': [
    { title: 'absent is no server', agent: {}, rest, expected: [] },
    { title: 'named', agent, rest, expected: ['files'] },
  ],
  'mcp.expose': [
    { title: 'no bundle, no server', agent: {}, rest, expected: {} },
    { title: "of the bundle's servers alone", agent, rest, expected: { files: [['read_*']] } },
  ],
  'mcp.effects': [
    { title: 'as declared', agent, rest, expected: { files: { read_file: ['read'] } } },
  ],
  'mcp.operands': [
    {
      title: 'as declared',
      agent,
      rest,
      expected: { files: { read_file: [{ at: '/path', kind: 'path', access: 'read' }] } },
    },
  ],
  'mcp.run': [
    { title: 'sandboxed unless written', agent, rest, expected: { files: 'sandboxed' } },
    {
      title: 'trusted is written',
      agent: { mcp_bundles: ['other'] },
      rest,
      expected: { other: 'trusted' },
    },
  ],
  'mcp.share': [
    { title: 'a connection for each session', agent, rest, expected: { files: 'session' } },
    {
      title: 'one for the agent is written',
      agent: { mcp_bundles: ['other'] },
      rest,
      expected: { other: 'agent' },
    },
  ],
} satisfies RowsOf<'mcp'>;

export const secretsRows = {
  'secrets.unseal': [
    { title: 'absent is none', agent: {}, expected: [[]] },
    {
      title: 'a list',
      agent: { tools: { allowed: ['http_fetch'] }, secrets: { unseal: ['http_fetch'] } },
      expected: [['builtin:http_fetch']],
    },
  ],
} satisfies RowsOf<'secrets'>;

export const outputRows = {
  'output.redact': [
    { title: 'absent is on', agent: {}, expected: true },
    { title: 'off', agent: { output: { redact: false } }, expected: false },
  ],
  'output.max_reply_chars': [
    { title: 'absent has a limit', agent: {}, expected: 20_000 },
    { title: 'written', agent: { output: { max_reply_chars: 10 } }, expected: 10 },
  ],
  'output.stream': [
    { title: 'absent is on', agent: {}, expected: true },
    { title: 'off', agent: { output: { stream: false } }, expected: false },
  ],
} satisfies RowsOf<'output'>;
