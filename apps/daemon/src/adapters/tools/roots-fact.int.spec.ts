import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { samplePolicy } from '@lockstep/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rootsFactOf, type RootsScope } from './roots-fact.ts';

let base = '';
const at = (path: string): string => join(base, path);
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'lockstep-roots-')));
  mkdirSync(at('ws/inside'), { recursive: true });
  mkdirSync(at('out'));
  symlinkSync(at('out'), at('ws/link'));
  symlinkSync(at('ws'), at('by-link'));
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const factOf = (
  workspace: { root: string; allowed_roots?: string[] },
  narrowings: RootsScope['narrowings'] = [],
) =>
  rootsFactOf({ policy: samplePolicy({ workspace: { siblings: {}, ...workspace } }), narrowings });
const named = (whose: string, root: string): RootsScope['narrowings'] => [
  { whose, why: 'a test', values: { 'workspace.root': root } },
];

describe('given the root of a workspace', () => {
  it('follows a link that config names, below a sub-agent too', () => {
    const root = at('by-link');
    expect(factOf({ root }).root).toBe(at('ws'));
    expect(factOf({ root }, named('ceiling:ada', root)).root).toBe(at('ws'));
  });

  it('follows none where a client named it, or a job that was made for one', () => {
    for (const whose of ['client', 'connection:c1', 'job:nightly']) {
      expect(factOf({ root: at('ws/inside') }, named(whose, at('ws/inside'))).root).toBe(
        at('ws/inside'),
      );
      expect(factOf({ root: at('ws/link') }, named(whose, at('ws/link'))).root).toBeNull();
    }
  });
});

describe('given further folders', () => {
  it('follows a link beside the root, and none that leads out of it', () => {
    const allowed = (path: string) =>
      factOf({ root: at('ws'), allowed_roots: [path] }).allowed.map(({ real }) => real);
    expect(allowed(at('ws/inside'))).toEqual([at('ws/inside')]);
    expect(allowed(at('ws/link'))).toEqual([null]);
    symlinkSync(at('out'), at('beside'));
    expect(allowed(at('beside'))).toEqual([at('out')]);
  });
});
