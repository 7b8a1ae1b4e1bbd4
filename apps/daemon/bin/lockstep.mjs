#!/usr/bin/env node
// npm links a bin only if its target exists at install time, so this file is committed and loads the build.
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (!existsSync(main)) {
  process.stderr.write('lockstep: not built yet, run `npm run up` (or `npm run build`) first\n');
  process.exit(2);
}
const { main: run } = await import(main.href);
process.exitCode = await run(process.argv.slice(2));
