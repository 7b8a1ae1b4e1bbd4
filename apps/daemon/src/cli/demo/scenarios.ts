/** Who is asked for work. The lead is who starts the others, and what a person asks of it it hands on. */
export type DemoAgent = 'writer' | 'reader' | 'runner' | 'hurried' | 'thrifty' | 'lead';

/** One piece of work of the demo: it is asked for over every path that leads to its agent. */
export interface Scenario {
  readonly agent: DemoAgent;
  readonly input: string;
  /** Answers what the turns ask for; null = they are left alone. */
  readonly answer: 'once' | 'always' | 'deny' | null;
  /** Scenarios with the same name share a session on every path with sessions, so that history fills. */
  readonly session: string | null;
}

const alone = (agent: DemoAgent, input: string, answer: Scenario['answer'] = null): Scenario => ({
  agent,
  input,
  answer,
  session: null,
});

const inSession = (agent: DemoAgent, input: string): Scenario => ({
  agent,
  input,
  answer: null,
  session: agent,
});

/** Played in this order, each on all paths at once. Together they make every setting act on every path on which it can. */
export const scenarios: readonly Scenario[] = [
  alone('writer', 'write your first note'),
  alone('writer', 'copy the long note'),
  alone('writer', 'use the file server'),
  alone('writer', 'read what is shared and what is not'),
  alone('writer', 'keep this in mind'),
  alone('writer', 'write the minutes'),
  alone('writer', 'ask others for help'),
  alone('writer', 'edit the note', 'once'),
  alone('writer', 'edit it again', 'deny'),
  alone('runner', 'fetch from elsewhere'),
  alone('runner', 'call with the key'),
  alone('runner', 'run some commands'),
  alone('runner', 'keep a copy', 'always'),
  alone('runner', 'spend a lot'),
  alone('runner', 'read a lot'),
  alone('reader', 'look too often'),
  alone('reader', 'look at everything at once'),
  inSession('reader', 'look at the writer'),
  inSession('reader', 'show the long list'),
  inSession('reader', 'talk at length'),
  alone('hurried', 'ask others for help'),
  alone('hurried', 'write without an answer'),
  alone('hurried', 'wait for the server'),
  alone('hurried', 'think too long'),
  alone('hurried', 'go round in circles'),
  alone('thrifty', 'do one thing too many'),
  alone('thrifty', 'spend what the day allows'),
  alone('thrifty', 'spend what the day allows'),
  alone('lead', 'share the work'),
];
