import type { EventOf } from '../../events/event.ts';
import type { jobPayloads } from '../../events/job-events.ts';
import type { memoryPayloads } from '../../events/memory-events.ts';
import type { sopPayloads } from '../../events/sop-events.ts';
import { lineOf, type SayAll } from './said.ts';

type Work = EventOf<
  keyof typeof memoryPayloads | keyof typeof sopPayloads | keyof typeof jobPayloads
>['type'];

const time = (ms: number): string => new Date(ms).toISOString();

/** The words of memory, jobs and procedures. */
export const workTitles: SayAll<Work> = {
  MemoryStored: (d) => ({ tone: 'neutral', title: 'memory stored', detail: lineOf(d.text) }),
  MemoryForgotten: (d) => ({
    tone: 'neutral',
    title: `memory forgotten: ${d.why.replaceAll('_', ' ')}`,
    detail: d.row,
  }),
  MemoryImported: (d) => ({
    tone: 'waiting',
    title: 'memory changed from outside',
    detail: lineOf(d.text),
  }),
  JobAdded: (d) => ({
    tone: 'neutral',
    title: `job ${d.name} made by ${d.by}`,
    detail: `${d.schedule} ${d.timezone}`,
  }),
  JobRemoved: (d) => ({ tone: 'neutral', title: `job ${d.name} ended by ${d.by}` }),
  JobDue: (d) => ({
    tone: 'neutral',
    title: `job ${d.name} is due`,
    detail: d.late ? `late: it was due at ${time(d.due)}` : time(d.due),
  }),
  JobSkipped: (d) => ({
    tone: 'refused',
    title: `job ${d.name} skipped: ${d.why}`,
    detail: d.more > 0 ? `${time(d.due)} and ${d.more} more` : time(d.due),
  }),
  JobRun: (d) => ({
    tone: d.outcome === 'completed' ? 'good' : 'bad',
    title: `job ${d.name} ${d.outcome}`,
    detail: d.turn,
  }),
  SopRunStarted: (d) => ({
    tone: 'neutral',
    title: `procedure ${d.sop} started by ${d.by.person ?? d.by.id}`,
    detail: lineOf(d.input),
  }),
  SopGateOpened: (d) => ({ tone: 'waiting', title: `gate before ${d.step}`, approval: d.gate }),
  SopGateVoted: (d) => ({
    tone: 'neutral',
    title: `vote of ${d.by.person ?? d.by.principal}: ${d.choice}`,
    approval: d.gate,
  }),
  SopGateDecided: (d) => ({
    tone: d.outcome === 'granted' ? 'good' : 'refused',
    title: `gate before ${d.step} ${d.outcome}`,
    detail: d.why,
    approval: d.gate,
  }),
  SopStepStarted: (d) => ({
    tone: 'neutral',
    title: `step ${d.step} goes to ${d.agent}${d.attempt > 1 ? `, try ${d.attempt}` : ''}`,
    detail: d.turn,
  }),
  SopStepCompleted: (d) => ({
    tone: d.outcome === 'completed' ? 'good' : 'bad',
    title: `step ${d.step} ${d.outcome.replaceAll('_', ' ')}`,
    detail: d.why,
  }),
  SopRunCompleted: (d) => ({
    tone: 'good',
    title: 'procedure completed',
    detail: lineOf(d.output),
  }),
  SopRunFailed: (d) => ({
    tone: 'bad',
    title: `procedure failed: ${d.code.replaceAll('_', ' ')}`,
    detail: d.message,
  }),
};
