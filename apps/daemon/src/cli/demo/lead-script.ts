import { scenarios, type DemoAgent, type Scenario } from './scenarios.ts';

/** How the lead starts a turn of another agent. */
export const leadTools = {
  delegate: (agent: DemoAgent, input: string) => ({ tool: 'delegate', args: { agent, input } }),
  message: (agent: DemoAgent, text: string) => ({
    tool: 'message_peer',
    args: { agent, channel: `webhook.${agent}`, text },
  }),
  procedure: (agent: DemoAgent, input: string) => ({
    tool: 'sop_start',
    args: { name: agent, input },
  }),
} as const;
export type LeadTool = keyof typeof leadTools;

/** What the lead is asked, so that it hands a scenario on. */
export const leadInput = (how: LeadTool, { agent, input }: Scenario): string =>
  `${how} ${agent}: ${input}`;

/** Scenarios of the lead's script, one for each way to hand on each piece of work. */
export const leadScript = (): string => {
  const entries = scenarios
    .filter(({ agent }) => agent !== 'lead')
    .flatMap((scenario) =>
      (Object.keys(leadTools) as LeadTool[]).map((how) => {
        const when = JSON.stringify(`/^${leadInput(how, scenario)}$/`);
        const call = JSON.stringify(leadTools[how](scenario.agent, scenario.input));
        return `  - when: ${when}\n    steps: [{ calls: [${call}] }, { say: 'It is handed on.' }]\n`;
      }),
    );
  return [...new Set(entries)].join('');
};
