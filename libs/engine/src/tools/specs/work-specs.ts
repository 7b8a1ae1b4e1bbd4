import type { ToolSpec } from '../../events/parts.ts';
import { builtin, text } from './builtin.ts';
import { toolList } from './child-specs.ts';

const jobName = text('Name of the job: small letters, digits, `_` and `-`.', {
  minLength: 1,
  maxLength: 32,
});

/** Jobs and standing procedures. */
export const workSpecs: readonly ToolSpec[] = [
  builtin('cron_add', 'Makes a job of your own that works on a prompt at set times.', {
    properties: {
      name: jobName,
      schedule: text('Five cron fields.', { minLength: 1, maxLength: 100 }),
      prompt: text('What is to be done each time.', { minLength: 1, maxLength: 32_000 }),
      timezone: text('IANA name of a time zone. UTC unless written.', {
        minLength: 1,
        maxLength: 64,
      }),
      tools: toolList,
    },
    required: ['name', 'schedule', 'prompt'],
    effects: ['write', 'delegate'],
    operands: [{ kind: 'job', at: '/name' }],
    repeatable: false,
  }),
  builtin('cron_list', 'Lists your jobs with their next times.', {
    properties: {},
    required: [],
    effects: ['read'],
    operands: 'none',
    repeatable: true,
  }),
  builtin('cron_remove', 'Ends a job of your own.', {
    properties: { name: jobName },
    required: ['name'],
    effects: ['write', 'delegate'],
    operands: [{ kind: 'job', at: '/name' }],
    repeatable: false,
  }),
  builtin('sop_start', 'Starts a standing procedure and returns what its last step said.', {
    properties: {
      name: text('Name of the procedure.', { minLength: 1, maxLength: 32 }),
      input: text('What it is about.', { minLength: 1, maxLength: 32_000 }),
    },
    required: ['name', 'input'],
    effects: ['delegate'],
    operands: [{ kind: 'sop', at: '/name' }],
    repeatable: false,
  }),
];
