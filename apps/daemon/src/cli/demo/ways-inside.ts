import { sopStarted } from '../api.schema.ts';
import { leadInput, type LeadTool } from './lead-script.ts';
import type { Way } from './way.ts';
import { run } from './ways-outside.ts';

/** Turns that the lead starts, by a call of its own turn. */
const byLead = (path: Way['path'], trigger: Way['trigger'], how: LeadTool): Way => ({
  path,
  trigger,
  keepsSession: false,
  start: async (parts, scenario) => {
    const asked = { ...scenario, agent: 'lead', input: leadInput(how, scenario) } as const;
    return { ...(await run.start(parts, asked, null)), kind: 'above' };
  },
});

export const peer = byLead('channel', 'peer', 'message');
export const bounded = byLead('delegate', 'bounded', 'delegate');
export const independent = byLead('delegate', 'independent', 'delegate');
export const live = byLead('sop', 'live', 'procedure');

/** Each agent has a procedure of its name with one step, whose prompt is what the run is started with. */
export const headless: Way = {
  path: 'sop',
  trigger: 'headless',
  keepsSession: false,
  start: async ({ client }, { agent, input }) => {
    const { id } = sopStarted.parse(await client.send('POST', `/v1/sops/${agent}/runs`, { input }));
    return { kind: 'run', id, session: null };
  },
};
