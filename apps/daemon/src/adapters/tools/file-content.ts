import { createHash } from 'node:crypto';
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { basename, dirname } from 'node:path';
import { holdFile, holdFolder, type HeldFile } from './open-beneath.ts';
import { ToolFailure, ToolSays } from './tool-failure.ts';

const readAt = promisify(read);
const chunk = 256 * 1024;

/** Largest file that is read, searched, hashed or overwritten, in bytes. */
export const largestFileBytes = 16 * 1024 * 1024;

/** Opens a regular file by its authorized real path. */
export const holdFileAt = (real: string): HeldFile => {
  const folder = holdFolder(dirname(real), { make: false });
  try {
    return holdFile(folder, basename(real));
  } finally {
    folder.close();
  }
};

/** The whole content of an open file; a file that grows while it is read is refused at the same limit. */
export const contentOf = async (file: HeldFile): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let size = 0;
  for (;;) {
    const buffer = Buffer.alloc(chunk);
    const { bytesRead } = await readAt(file.fd, buffer, 0, chunk, size);
    if (bytesRead === 0) return Buffer.concat(parts);
    size += bytesRead;
    if (size > largestFileBytes)
      throw new ToolFailure(
        'too_large',
        `\`${file.path}\` is larger than ${largestFileBytes} bytes`,
      );
    parts.push(buffer.subarray(0, bytesRead));
  }
};

/** @throws ToolSays when the bytes are no UTF-8 text */
export const textOf = (bytes: Buffer, shown: string): string => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Answered below: broken UTF-8 and NUL are the same to the reader.
  }
  throw new ToolSays(`\`${shown}\` is not a text file in UTF-8`);
};

export const digestOfBytes = (bytes: Buffer): string =>
  createHash('sha256').update(bytes).digest('hex');
