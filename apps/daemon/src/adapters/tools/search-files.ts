import { basename } from 'node:path';
import { textArg, type FileCall } from './file-call.ts';
import { contentOf, holdFileAt } from './file-content.ts';
import { statOf } from './real-path.ts';
import { ToolFailure, type ToolDone } from './tool-failure.ts';
import { closingNotes, walkFolder, type Walked, type WalkedEntry } from './walk-folder.ts';

const mostHits = 500;
const mostBytes = 256 * 1024 * 1024;
const longestLine = 300;
const largestSearched = 4 * 1024 * 1024;

/** `file_search`: lines that contain a text, as `file:line: text`. The text is literal, so the work is linear in what is read. */
export const searchFilesTool = async (call: FileCall): Promise<ToolDone> => {
  const pattern = textArg(call.args, 'pattern');
  const seen: Walked = { hidden: 0, cut: false };
  const hits: string[] = [];
  let bytes = 0;
  for await (const entry of entriesAt(call, seen)) {
    if (call.signal.aborted) throw new ToolFailure('unavailable', 'the call was cancelled');
    const size = entry.kind === 'file' ? (statOf(entry.real)?.size ?? 0) : 0;
    if (size === 0 || size > largestSearched) continue;
    bytes += size;
    if (bytes > mostBytes || hits.length >= mostHits) {
      seen.cut = true;
      break;
    }
    const text = await textAt(entry.real);
    if (text === null) continue;
    const found = linesWith(text, pattern);
    if (found.length > 0) call.touched.push({ kind: 'opened', path: entry.real, access: 'read' });
    hits.push(...found.map(({ line, shown }) => `${entry.name}:${line}: ${shown}`));
  }
  const shown = hits.slice(0, mostHits);
  if (hits.length > mostHits) seen.cut = true;
  return { text: [...shown, ...closingNotes(seen, shown.length > 0)].join('\n').toWellFormed() };
};

async function* entriesAt(call: FileCall, seen: Walked): AsyncGenerator<WalkedEntry> {
  if (statOf(call.real)?.isFile() === true)
    yield { name: basename(call.real), real: call.real, kind: 'file' };
  else yield* walkFolder(call.real, { ...call, recursive: true }, seen);
}

/** Null for what is no text, or went away in between. */
const textAt = async (real: string): Promise<string | null> => {
  try {
    const file = holdFileAt(real);
    try {
      const bytes = await contentOf(file);
      return bytes.subarray(0, 8192).includes(0) ? null : bytes.toString('utf8');
    } finally {
      file.close();
    }
  } catch {
    return null;
  }
};

const linesWith = (
  text: string,
  pattern: string,
): readonly { readonly line: number; readonly shown: string }[] => {
  const found: { line: number; shown: string }[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(pattern); at >= 0 && found.length < mostHits;) {
    for (let n = text.indexOf('\n', counted); n >= 0 && n < at; n = text.indexOf('\n', counted)) {
      line += 1;
      counted = n + 1;
    }
    const end = text.indexOf('\n', at);
    const shown = text.slice(counted, end < 0 ? text.length : end);
    const from = Math.max(0, Math.min(at - counted, at - counted - longestLine / 2));
    found.push({ line, shown: shown.slice(from, from + longestLine) });
    if (end < 0) break;
    at = text.indexOf(pattern, end + 1);
  }
  return found;
};
