import type { FileCall } from './file-call.ts';
import type { ToolDone } from './tool-failure.ts';
import { closingNotes, walkFolder, type Walked } from './walk-folder.ts';

const mostLines = 5_000;

/** `file_list`: one entry a line, folders with a slash behind. */
export const listFolderTool = async (call: FileCall): Promise<ToolDone> => {
  const seen: Walked = { hidden: 0, cut: false };
  const lines: string[] = [];
  call.touched.push({ kind: 'opened', path: call.real, access: 'read' });
  const walk = { ...call, recursive: call.args['recursive'] === true };
  for await (const entry of walkFolder(call.real, walk, seen)) {
    if (lines.length >= mostLines) {
      seen.cut = true;
      break;
    }
    lines.push(entry.kind === 'folder' ? `${entry.name}/` : entry.name);
  }
  return { text: [...lines, ...closingNotes(seen, lines.length > 0)].join('\n').toWellFormed() };
};
