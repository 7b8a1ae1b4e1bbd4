import {
  historyBounds,
  historyCollector,
  historyReader,
  type HistoryCollector,
  type ReadHistory,
} from '@lockstep/engine';
import { linesOfFile, type FileBounds } from './lines-of-file.ts';
import { runningDigest } from './running-digest.ts';

/** What is replayed lies in memory: a larger history is imported, and its turns are replayed one by one. */
const bounds: FileBounds = { line: historyBounds.line, bytes: 512 * 1024 * 1024 };

/** Reads a history from a file, as a stream: what is too large is refused before it is in memory.
 * @throws SystemError when the file cannot be read */
export const readHistoryFile = async (
  path: string,
  limits: FileBounds = bounds,
): Promise<ReadHistory> => {
  const collector = historyCollector(historyReader(runningDigest()));
  let lines = 0;
  for await (const line of linesOfFile(path, limits)) {
    lines += 1;
    if (line.kind === 'stop') return stopped(collector, { lines, why: line.why });
    if (!collector.take(line.text)) break;
  }
  return collector.end();
};

const stopped = (
  collector: HistoryCollector,
  { lines, why }: { readonly lines: number; readonly why: string },
): ReadHistory => {
  const before = collector.end();
  const found = before.ok || lines === 1 ? [] : before.problems.filter(isOfALine);
  return { ok: false, problems: [...found, { where: `line ${lines}`, message: why }] };
};

const isOfALine = ({ where }: { readonly where: string }): boolean => where !== 'line 1';
