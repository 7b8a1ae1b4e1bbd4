import type { RowsOf } from './row.ts';

export const approvalRows = {
  'approval.autonomy': [
    { title: 'absent is supervised', agent: {}, expected: 'supervised' },
    {
      title: 'it is written at profile level',
      agent: { autonomy: 'read_only' },
      expected: 'read_only',
    },
  ],
  'approval.auto_approve': [
    { title: 'absent is none', agent: {}, expected: [[]] },
    {
      title: 'a list',
      agent: { tools: { allowed: ['file_*'] }, approval: { auto_approve: ['file_write'] } },
      expected: [['builtin:file_write']],
    },
  ],
  'approval.always_ask': [
    { title: 'absent is none', agent: {}, expected: [] },
    {
      title: 'full autonomy leaves it',
      agent: { autonomy: 'full', approval: { always_ask: ['file_edit'] } },
      expected: ['builtin:file_edit'],
    },
  ],
  'approval.route.on_no_approver': [
    { title: 'absent is queue', agent: {}, expected: 'queue' },
    { title: 'deny', agent: { approval: { route: { on_no_approver: 'deny' } } }, expected: 'deny' },
  ],
  'approval.timeout_secs': [
    { title: 'absent is 15 minutes', agent: {}, expected: 900 },
    { title: 'written', agent: { approval: { timeout_secs: 60 } }, expected: 60 },
  ],
  'approval.grant_ttl_secs': [
    { title: 'absent is an hour', agent: {}, expected: 3600 },
    {
      title: 'no limit is written',
      agent: { approval: { grant_ttl_secs: 'unlimited' } },
      expected: 'unlimited',
    },
  ],
  'approval.approvers_required': [
    { title: 'absent is one', agent: {}, expected: 1 },
    { title: 'written', agent: { approval: { approvers_required: 2 } }, expected: 2 },
  ],
  'approval.four_eyes': [
    { title: 'absent is off', agent: {}, expected: false },
    { title: 'written', agent: { approval: { four_eyes: true } }, expected: true },
  ],
  'approval.route.approver': [
    { title: 'absent is the inbox', agent: {}, expected: 'inbox' },
    {
      title: 'a person',
      agent: { approval: { route: { approver: 'people:ana' } } },
      rest: { people: { ana: { identities: ['token:ana'], roles: ['approver'] } } },
      expected: 'people:ana',
    },
  ],
} satisfies RowsOf<'approval'>;
