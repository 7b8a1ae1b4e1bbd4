import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, unlinkSync } from 'node:fs';
import { constants, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { contentOf, digestOfBytes, largestFileBytes, textOf } from './file-content.ts';
import { textArg, type FileCall } from './file-call.ts';
import { codeOf, holdFile, holdFolder, swapped, type HeldFolder } from './open-beneath.ts';
import { ToolFailure, ToolSays, type ToolDone } from './tool-failure.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** `file_write`: replaces a file whole, or makes it and the folders above it. */
export const writeFileTool = async (call: FileCall): Promise<ToolDone> => {
  const content = Buffer.from(textArg(call.args, 'content'), 'utf8');
  const folder = holdFolder(dirname(call.real), { make: !call.operand.exists });
  try {
    const mode = call.operand.exists ? (await current(folder, call)).mode : null;
    await replace(folder, call, content, mode);
    return { text: `wrote ${content.length} bytes to \`${call.operand.given}\`` };
  } finally {
    folder.close();
  }
};

/** `file_edit`: replaces one passage that occurs exactly once. */
export const editFileTool = async (call: FileCall): Promise<ToolDone> => {
  const old = textArg(call.args, 'old_text');
  const { given } = call.operand;
  const folder = holdFolder(dirname(call.real), { make: false });
  try {
    const { bytes, mode } = await current(folder, call);
    call.touched.push({ kind: 'opened', path: call.real, access: 'read' });
    const text = textOf(bytes, given);
    const at = text.indexOf(old);
    if (old === '' || at < 0) throw new ToolSays(`the old text does not occur in \`${given}\``);
    if (text.indexOf(old, at + 1) >= 0)
      throw new ToolSays(`the old text occurs more than once in \`${given}\``);
    const next = text.slice(0, at) + textArg(call.args, 'new_text') + text.slice(at + old.length);
    await replace(folder, call, Buffer.from(next, 'utf8'), mode);
    return { text: `replaced one passage in \`${given}\`` };
  } finally {
    folder.close();
  }
};

/** The file that will be replaced, if it still is the one that was authorized. */
const current = async (
  folder: HeldFolder,
  { operand, real }: FileCall,
): Promise<{ readonly bytes: Buffer; readonly mode: number }> => {
  const file = holdFile(folder, basename(real));
  try {
    if (file.stats.nlink > 1)
      throw new ToolFailure('io', `\`${operand.given}\` has several hard links and is not written`);
    const bytes = await contentOf(file);
    if (operand.content !== digestOfBytes(bytes)) throw swapped(real);
    return { bytes, mode: file.stats.mode & 0o7777 };
  } finally {
    file.close();
  }
};

/** All or nothing: written beside the target and put in its place in one step. `mode` null = the target must not exist. */
const replace = async (
  folder: HeldFolder,
  call: FileCall,
  content: Buffer,
  mode: number | null,
): Promise<void> => {
  if (content.length > largestFileBytes)
    throw new ToolFailure('too_large', `a file may have ${largestFileBytes} bytes`);
  const name = basename(call.real);
  const next = `.lockstep-${randomBytes(8).toString('hex')}`;
  const handle = await open(folder.at(next), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    try {
      await handle.writeFile(content);
      if (mode !== null) await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (call.signal.aborted) throw new ToolFailure('unavailable', 'the call was cancelled');
    if (mode === null) placeNew(folder, next, name);
    else {
      await current(folder, call);
      renameSync(folder.at(next), folder.at(name));
    }
    call.touched.push({ kind: 'opened', path: join(folder.path, name), access: 'write' });
  } finally {
    removeQuietly(folder.at(next));
  }
};

/** A hard link never replaces: whoever made the name in between keeps it. */
const placeNew = (folder: HeldFolder, next: string, name: string): void => {
  try {
    linkSync(folder.at(next), folder.at(name));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw swapped(join(folder.path, name));
    throw error;
  }
};

const removeQuietly = (path: string): void => {
  try {
    unlinkSync(path);
  } catch {
    // Gone by rename.
  }
};
