import { sopStepName } from '@lockstep/policy';
import { encodeCron, jobPrincipal, parseCron } from '../../paths/loop/cron.path.ts';
import { encodeHeartbeat, heartbeatName, parseHeartbeat } from '../../paths/loop/heartbeat.path.ts';
import { encodeRun, parseRun } from '../../paths/loop/run.path.ts';
import { encodeStep, parseStep } from '../../paths/sop/step.path.ts';
import { jobOf, scopeOf } from './written-work.ts';
import {
  keptSession,
  localOf,
  type Candidate,
  type Candidates,
  type FindCandidates,
} from './candidate.ts';

const orWhy = (found: readonly Candidate[], why: string): Candidates =>
  found.length === 0 ? why : found;

const base = { session: null, client: 'none', idempotency: null, listening: false } as const;

export const runCandidates: FindCandidates = (asking) => {
  const { agent } = asking.requested.request;
  const asked = {
    ...base,
    agent,
    principal: localOf(asking),
    session: keptSession(asking),
    origin: { kind: 'run' } as const,
    input: asking.input,
  };
  const wire = encodeRun(asked);
  if (wire === null) return 'the message has no form there';
  return [{ request: parseRun(wire), records: {}, notes: [] }];
};

/** Jobs of config that run the agent, and the recorded one where a tool made it. */
export const cronCandidates: FindCandidates = ({ applied, requested, input, turn }) => {
  const { agent } = requested.request;
  const written = Object.entries(applied.config.cron).filter(([, job]) => job.agent === agent);
  const jobs = written.map(([name, job]) => jobOf(name, job));
  const recorded = requested.records.job;
  const made = recorded !== undefined && !jobs.some(({ name }) => name === recorded.name);
  const found = [...jobs, ...(made ? [recorded] : [])].flatMap((job): Candidate[] => {
    const { name } = job;
    const origin = { kind: 'cron', job: name } as const;
    const asked = { ...base, agent, principal: jobPrincipal(name), origin, input, turn };
    const wire = encodeCron(asked);
    if (wire === null) return [];
    const notes = [`the job was taken to be \`${name}\`, and its prompt the recorded message`];
    return [{ request: parseCron(wire), records: { job }, notes }];
  });
  return orWhy(found, `no job runs agent \`${agent}\``);
};

export const heartbeatCandidates: FindCandidates = ({ applied, requested, input, turn }) => {
  const { agent } = requested.request;
  if (!Object.hasOwn(applied.config.heartbeat, agent)) return `agent \`${agent}\` has no heartbeat`;
  const principal = jobPrincipal(heartbeatName(agent));
  const asked = { ...base, agent, principal, origin: { kind: 'heartbeat' } as const, input, turn };
  const wire = encodeHeartbeat(asked);
  if (wire === null) return 'the message has no form there';
  const notes = ['the prompt of the heartbeat was taken to be the recorded message'];
  return [{ request: parseHeartbeat(wire), records: {}, notes }];
};

/** Steps of procedures that are the agent's, in runs that a person started. */
export const headlessCandidates: FindCandidates = (asking) => {
  const { applied, requested, input, turn } = asking;
  const { agent, principal } = requested.request;
  const recorded = requested.records.sopRun;
  const found = Object.entries(applied.config.sops).flatMap(([sop, { steps }]) =>
    steps.flatMap((step, index): Candidate[] => {
      if (step.agent !== agent) return [];
      const name = sopStepName(step, index);
      const isIt = recorded?.sop === sop && recorded.step === name;
      const run = isIt ? recorded.id : 'replayed';
      const by = isIt ? principal : localOf(asking);
      const origin = { kind: 'sop', run, step: name, parent: 'none' } as const;
      const wire = encodeStep({ ...base, agent, principal: by, origin, input, turn });
      if (wire === null) return [];
      const held = isIt
        ? { narrowings: recorded.narrowings ?? [], depth: recorded.depth ?? 0 }
        : {};
      const sopRun = { id: run, sop, step: name, scope: scopeOf(step), ...held };
      const notes = isIt
        ? []
        : [
            `the step was taken to be \`${name}\` of procedure \`${sop}\`, in a run that a person started`,
          ];
      return [{ request: parseStep(wire), records: { sopRun }, notes }];
    }),
  );
  return orWhy(found, `no step of a procedure is of agent \`${agent}\``);
};
