import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** One source file with what it imports. */
export interface SourceFile {
  /** Relative to the repository root. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const skipped = new Set(['node_modules', 'dist', '.next', '.git']);

/** All TypeScript sources below the folders, specs included. */
export const sourcesIn = (folders: readonly string[]): SourceFile[] => {
  const found: SourceFile[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name) && !entry.name.startsWith('.lockstep')) walk(path);
      } else if (/\.tsx?$/.test(entry.name)) {
        const text = readFileSync(path, 'utf8');
        found.push({ path: relative(root, path), text, imports: importsOf(text) });
      }
    }
  };
  for (const folder of folders) walk(join(root, folder));
  return found;
};

/** Module names of static and dynamic imports and re-exports, by the compiler's own scanner. */
const importsOf = (text: string): string[] =>
  ts.preProcessFile(text, true, true).importedFiles.map((f) => f.fileName);

export const isSpec = (path: string): boolean => /\.(spec|contract|row|fixture)\.tsx?$/.test(path);
