import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '@lockstep/policy';
import { contentOf, digestOfBytes, holdFileAt, textOf } from '../tools/file-content.ts';
import { readFrontMatter } from './front-matter.ts';

/** A skill as its folder says it is. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** What stands below the head of its SKILL.md. */
  readonly body: string;
  /** Patterns on canonical tool ids; null = it says nothing of tools. */
  readonly tools: readonly string[] | null;
  /** Real path. */
  readonly folder: string;
  /** Over the names, contents and executable bits of all its files. */
  readonly digest: string;
  /** Relative paths of all its files, sorted. */
  readonly files: readonly string[];
  /** Names of the executable files in `scripts`, sorted. */
  readonly scripts: readonly string[];
}

export type SkillRead =
  { readonly ok: true; readonly skill: Skill } | { readonly ok: false; readonly message: string };

const mostFiles = 500;
const mostBytes = 16 * 1024 * 1024;
const largestBody = 256 * 1024;

/** Reads the folder of a skill by its real path. All or nothing: a skill with a problem is no skill. */
export const readSkill = async (folder: string, name: string): Promise<SkillRead> => {
  try {
    return { ok: true, skill: await skillIn(folder, name) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
};

/** The text of one file of a skill. */
export const textOfFile = async (skill: Skill, file: string): Promise<string> =>
  textOf((await bytesOf(join(skill.folder, file))).bytes, file);

interface SkillFile {
  readonly path: string;
  readonly digest: string;
  readonly executable: boolean;
}

const skillIn = async (folder: string, name: string): Promise<Skill> => {
  const names = filesBelow(folder, '');
  if (!names.includes('SKILL.md')) throw new Error('it holds no SKILL.md');
  const files: SkillFile[] = [];
  let size = 0;
  let text = '';
  for (const path of names) {
    const { bytes, executable } = await bytesOf(join(folder, path));
    size += bytes.length;
    if (size > mostBytes) throw new Error(`its files are larger than ${mostBytes} bytes together`);
    files.push({ path, digest: digestOfBytes(bytes), executable });
    if (path !== 'SKILL.md') continue;
    if (bytes.length > largestBody)
      throw new Error(`its SKILL.md is larger than ${largestBody} bytes`);
    text = textOf(bytes, path);
  }
  const read = readFrontMatter(text);
  if (!read.ok) throw new Error(read.message);
  const { head, body } = read;
  if (head.name !== name)
    throw new Error(`its SKILL.md calls it \`${head.name}\`: give folder and skill one name`);
  return {
    ...head,
    body,
    folder,
    digest: digestOf(files.map(({ path, digest, executable }) => [path, digest, executable])),
    files: names,
    scripts: files
      .filter(({ path, executable }) => executable && /^scripts\/[A-Za-z0-9._-]+$/.test(path))
      .map(({ path }) => path.slice('scripts/'.length)),
  };
};

/** Regular files alone: a link could lead anywhere, and a second name of a file could be written elsewhere. */
const filesBelow = (
  folder: string,
  below: string,
  folders: { count: number } = { count: 0 },
): readonly string[] => {
  folders.count += 1;
  if (folders.count > mostFiles) throw new Error(`it holds more than ${mostFiles} folders`);
  const found: string[] = [];
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isSymbolicLink()) throw new Error(`\`${path}\` in it is a link: put the file there`);
    if (entry.isDirectory()) found.push(...filesBelow(folder, path, folders));
    else if (entry.isFile()) found.push(path);
    else throw new Error(`\`${path}\` in it is no regular file`);
    if (found.length > mostFiles) throw new Error(`it holds more than ${mostFiles} files`);
  }
  return found.sort();
};

const bytesOf = async (
  path: string,
): Promise<{ readonly bytes: Buffer; readonly executable: boolean }> => {
  const file = holdFileAt(path);
  try {
    if (file.stats.nlink > 1) throw new Error(`\`${path}\` has a second name: copy the file`);
    return { bytes: await contentOf(file), executable: (file.stats.mode & 0o111) !== 0 };
  } finally {
    file.close();
  }
};
