import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSpec, sourcesIn, type SourceFile } from '../support/sources.ts';

const product = sourcesIn(['libs', 'apps']).filter((f) => !isSpec(f.path));
const inRoom = (room: string): SourceFile[] => product.filter((f) => f.path.startsWith(`${room}/`));

/** Where an import leads: a path in the repository, or the package name. */
const target = (file: SourceFile, name: string): string =>
  name.startsWith('.') ? normalize(join(dirname(file.path), name)) : name;

/** Imports of a room's files that a rule forbids, each with what to do instead. */
const offences = (
  files: readonly SourceFile[],
  forbidden: (to: string, file: SourceFile) => string | null,
): string[] =>
  files.flatMap((file) =>
    file.imports.flatMap((name) => {
      const advice = forbidden(target(file, name), file);
      return advice === null ? [] : [`${file.path} imports \`${name}\`: ${advice}`];
    }),
  );

const startsWithAny = (text: string, heads: readonly string[]): boolean =>
  heads.some((h) => text === h || text.startsWith(`${h}/`));

describe('given the rooms policy <- engine <- daemon and console -> engine', () => {
  it('lets policy know nothing but its own parsers', () => {
    const known = [
      'libs/policy',
      'zod',
      'canonicalize',
      '@noble/hashes',
      'toml-eslint-parser',
      'yaml',
    ];
    expect(
      offences(inRoom('libs/policy'), (to) =>
        startsWithAny(to, known) ? null : `policy may know only ${known.join(', ')}`,
      ),
    ).toEqual([]);
  });

  it('lets the engine know policy, zod and ajv only, and the parser of shell in one place', () => {
    const known = ['libs/engine', '@lockstep/policy', 'zod', 'ajv'];
    const reader = 'libs/engine/src/shell/read-line.ts';
    expect(
      offences(inRoom('libs/engine'), (to, file) =>
        startsWithAny(to, known) || (to === 'mvdan-sh' && file.path === reader)
          ? null
          : `the engine may know only ${known.join(', ')}`,
      ),
    ).toEqual([]);
  });

  it('keeps the console away from the daemon and from Node in browser code', () => {
    expect(
      offences(inRoom('apps/console'), (to, file) => {
        if (startsWithAny(to, ['@lockstep/daemon', 'apps/daemon']))
          return 'the console speaks to the daemon over HTTP only';
        if (to.startsWith('node:') && !/\/(route|server|proxy)[^/]*\.ts$/.test(file.path))
          return 'only route handlers and server files may use Node';
        return null;
      }),
    ).toEqual([]);
  });

  it('keeps the daemon away from the console', () => {
    expect(
      offences(inRoom('apps/daemon'), (to) =>
        startsWithAny(to, ['@lockstep/console', 'apps/console'])
          ? 'the daemon does not know who looks at it'
          : null,
      ),
    ).toEqual([]);
  });

  it('lets no import reach into another package', () => {
    expect(
      offences(product, (to, file) => {
        if (/^@lockstep\/[a-z]+\/(?!testing$)/.test(to)) return 'import the package by its name';
        const home = file.path.split('/').slice(0, 2).join('/');
        return startsWithAny(to, ['libs', 'apps', 'test']) && !startsWithAny(to, [home])
          ? 'import the package by its name'
          : null;
      }),
    ).toEqual([]);
  });

  it('keeps test doubles out of production code', () => {
    expect(
      offences(product, (to, file) =>
        (to === '@lockstep/engine/testing' || to.startsWith('libs/engine/src/testing')) &&
        !file.path.startsWith('libs/engine/src/testing/')
          ? 'doubles are for specs'
          : null,
      ),
    ).toEqual([]);
  });
});

describe('given the two independent codes', () => {
  it('lets monitors share nothing with the gate and the budgets', () => {
    expect(
      offences(inRoom('libs/engine/src/monitors'), (to) =>
        startsWithAny(to, [
          'libs/engine/src/gate',
          'libs/engine/src/budget',
          'libs/engine/src/turn',
        ])
          ? 'a monitor is written from the meaning of the policy, apart from the gate'
          : null,
      ),
    ).toEqual([]);
  });
});

describe('given the seam', () => {
  const builders = (name: string): string[] =>
    product
      .filter((f) => new RegExp(`type: '${name}'`).test(f.text))
      .map((f) => f.path)
      .filter(
        (p) =>
          // A replay decides on commands and dispatches none.
          !startsWithAny(p, [
            'libs/engine/src/turn',
            'libs/engine/src/replay',
            'libs/engine/src/testing',
          ]),
      );

  it('builds StartTurn in launch-turn alone', () => {
    expect(builders('StartTurn')).toEqual(['apps/daemon/src/turns/launch-turn.ts']);
  });

  it('builds NarrowTurn in narrow-turn alone', () => {
    expect(builders('NarrowTurn')).toEqual(['apps/daemon/src/turns/narrow-turn.ts']);
  });

  it('mints a policy in one module', () => {
    const minting = product.filter((f) => /new Sealed\(/.test(f.text)).map((f) => f.path);
    expect(minting).toEqual(['libs/policy/src/resolve.ts']);
  });

  it('lets path adapters know launch, types and nothing of policy values', () => {
    expect(
      offences(inRoom('apps/daemon/src/paths'), (to) =>
        startsWithAny(to, [
          'libs/policy/src/resolve.ts',
          'apps/daemon/src/store',
          'apps/daemon/src/adapters',
        ])
          ? 'a path translates and calls launchTurn'
          : null,
      ),
    ).toEqual([]);
  });

  it('has one handler for each command class', () => {
    const handled = product.flatMap((f) =>
      [...f.text.matchAll(/@(?:Command|Query)Handler\((\w+)\)/g)].map((m) => m[1] ?? ''),
    );
    expect(handled.length).toBeGreaterThan(0);
    expect(handled.filter((name, i) => handled.indexOf(name) !== i)).toEqual([]);
  });
});

describe('given the size of files', () => {
  it('keeps every source within 400 lines and every spec within 600', () => {
    const long = sourcesIn(['libs', 'apps', 'test'])
      .map((f) => ({ path: f.path, lines: f.text.split('\n').length }))
      .filter((f) => f.lines > (isSpec(f.path) ? 600 : 400));
    expect(long).toEqual([]);
  });

  it('skips and focuses no test', () => {
    const marked = sourcesIn(['libs', 'apps', 'test'])
      .filter((f) => /\b(it|test|describe)\.(skip|only|todo)\b/.test(f.text))
      .map((f) => f.path)
      .filter((p) => p !== 'test/architecture/rooms.spec.ts');
    expect(marked).toEqual([]);
  });

  it('has no escape from the types outside specs', () => {
    const escapes = product
      .filter((f) => /as unknown as|as any\b|@ts-ignore|@ts-nocheck|eslint-disable/.test(f.text))
      .map((f) => f.path);
    expect(escapes).toEqual([]);
  });
});
