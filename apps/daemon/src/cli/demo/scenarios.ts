/** One turn of the demo. */
export interface Scenario {
  readonly agent: 'writer' | 'reader' | 'runner' | 'hurried';
  readonly input: string;
  /** Answers what the turn asks for; null = it is left alone. */
  readonly answer: 'once' | 'always' | 'deny' | null;
  /** Turns with the same name share a session, so that history fills. */
  readonly session: string | null;
}

const alone = (
  agent: Scenario['agent'],
  input: string,
  answer: Scenario['answer'] = null,
): Scenario => ({
  agent,
  input,
  answer,
  session: null,
});

const inSession = (agent: Scenario['agent'], input: string): Scenario => ({
  agent,
  input,
  answer: null,
  session: agent,
});

/** Played in this order on each path. Together they make every enforced setting act at least once. */
export const scenarios: readonly Scenario[] = [
  alone('writer', 'write your first note'),
  alone('writer', 'copy the long note'),
  alone('writer', 'use the file server'),
  alone('writer', 'read what is shared and what is not'),
  alone('writer', 'edit the note', 'once'),
  alone('writer', 'edit the note', 'deny'),
  alone('writer', 'look into your own network'),
  alone('runner', 'fetch from elsewhere'),
  alone('runner', 'call with the key'),
  alone('runner', 'keep a copy', 'always'),
  alone('runner', 'leave your folder'),
  alone('runner', 'spend a lot'),
  alone('runner', 'read a lot'),
  alone('reader', 'look at the writer'),
  alone('reader', 'look too often'),
  alone('reader', 'look at everything at once'),
  alone('reader', 'show the long list'),
  inSession('reader', 'talk at length'),
  inSession('reader', 'look at the writer'),
  inSession('reader', 'talk at length'),
  inSession('reader', 'show the long list'),
  inSession('reader', 'talk at length'),
  inSession('hurried', 'talk at length'),
  inSession('hurried', 'talk at length'),
  inSession('hurried', 'talk at length'),
  alone('hurried', 'write without an answer'),
  alone('hurried', 'wait for the server'),
  alone('hurried', 'think too long'),
  alone('hurried', 'go round in circles'),
];
