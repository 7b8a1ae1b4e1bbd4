import { parentPort, workerData } from 'node:worker_threads';
import { addTurns, emptyTally } from '@lockstep/engine';
import { openLogForReading } from '../../store/sqlite/log-schema.ts';
import { turnJudge } from './judge-turns.ts';
import type { JudgeData, JudgeReply, JudgeRequest } from './wire.ts';

const port = parentPort;
if (port === null) throw new Error('turns are judged in a worker thread');
const { log, upTo, draft } = workerData as JudgeData;

const db = openLogForReading(log);
const judge = turnJudge(db, upTo, draft);
let tally = emptyTally();

const answer = (request: JudgeRequest): JudgeReply => {
  switch (request.kind) {
    case 'judge':
      tally = addTurns(tally, judge(request.turns));
      return { kind: 'judged' };
    case 'finish':
      db.close();
      return { kind: 'tally', tally };
  }
};

const answerSafely = (request: JudgeRequest): JudgeReply => {
  try {
    return answer(request);
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
};

port.on('message', (request: JudgeRequest) => {
  port.postMessage(answerSafely(request));
  if (request.kind === 'finish') port.close();
});
