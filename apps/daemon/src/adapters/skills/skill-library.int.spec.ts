import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '@lockstep/policy';
import { skillProblems } from '../../config/skill-problems.ts';
import { SkillLibrary } from './skill-library.ts';

let home = '';
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'skills-')));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});
const at = (path: string): string => join(home, path);
const put = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
  chmodSync(at(path), mode);
};
const head = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: What ${name} is for.\n${more}---\n\nDo it.\n`;
const problemsOf = async (): Promise<readonly string[]> => {
  const found = await new SkillLibrary().of({ a: at('a') });
  expect(found.skills).toEqual([]);
  return found.problems.map(({ skill, message }) => `${skill ?? ''}: ${message}`);
};

describe('given a folder with a SKILL.md', () => {
  it('reads its head, its text, its files and its scripts', async () => {
    put('a/notes/SKILL.md', head('notes', 'license: MIT\nallowed-tools: time_now, mcp:x/*\n'));
    put('a/notes/scripts/run', '#!/bin/sh\n', 0o755);
    put('a/notes/scripts/plain.txt', 'x');
    put('a/README.md', 'no skill');
    put('a/.git/config', 'no skill');
    const found = await new SkillLibrary().of({ a: at('a') });
    expect(found.problems).toEqual([]);
    expect(found.skills.map(({ digest: _digest, ...skill }) => skill)).toEqual([
      {
        name: 'notes',
        description: 'What notes is for.',
        tools: ['time_now', 'mcp:x/*'],
        body: 'Do it.',
        folder: at('a/notes'),
        files: ['SKILL.md', 'scripts/plain.txt', 'scripts/run'],
        scripts: ['run'],
        bundle: 'a',
      },
    ]);
  });

  it.each<[string, () => void]>([
    [
      'a changed text',
      () => {
        put('a/notes/SKILL.md', `${head('notes')}More.`);
      },
    ],
    [
      'a changed script of the same length',
      () => {
        put('a/notes/run', 'b');
      },
    ],
    [
      'a new file',
      () => {
        put('a/notes/new', '');
      },
    ],
    [
      'another executable bit',
      () => {
        chmodSync(at('a/notes/run'), 0o755);
      },
    ],
  ])('has another digest after %s, for one who has read it before too', async (_what, change) => {
    put('a/notes/SKILL.md', head('notes'));
    put('a/notes/run', 'a');
    const library = new SkillLibrary();
    const [before] = (await library.of({ a: at('a') })).skills;
    expect((await library.of({ a: at('a') })).skills[0]?.digest).toBe(before?.digest);
    change();
    const [after] = (await library.of({ a: at('a') })).skills;
    expect(after?.digest).not.toBe(before?.digest);
    expect((await library.now({ a: at('a') }, 'notes'))?.digest).toBe(after?.digest);
  });
});

describe('given a folder that is no skill', () => {
  const long = 'x'.repeat(300 * 1024);
  it.each<[string, () => void, string]>([
    [
      'no SKILL.md',
      () => {
        put('a/notes/x', '');
      },
      'notes: it holds no SKILL.md',
    ],
    [
      'no head',
      () => {
        put('a/notes/SKILL.md', 'Do it.');
      },
      'notes: its SKILL.md does not begin with a head between two lines of `---`',
    ],
    [
      'another name',
      () => {
        put('a/notes/SKILL.md', head('other'));
      },
      'notes: its SKILL.md calls it `other`: give folder and skill one name',
    ],
    [
      'a name that is none',
      () => {
        put('a/Notes/SKILL.md', head('Notes'));
      },
      'Notes: its SKILL.md has a head that cannot be used: `name`: must be lower-case letters, digits and single hyphens',
    ],
    [
      'a field that nobody knows',
      () => {
        put('a/notes/SKILL.md', head('notes', 'model: best\n'));
      },
      'notes: its SKILL.md has a head that cannot be used: Unrecognized key: "model"',
    ],
    [
      'a field twice',
      () => {
        put('a/notes/SKILL.md', head('notes', 'name: notes\n'));
      },
      'notes: its SKILL.md has a head that is no plain YAML (Map keys must be unique)',
    ],
    [
      'a tag',
      () => {
        put('a/notes/SKILL.md', head('notes', 'license: !x y\n'));
      },
      'notes: its SKILL.md has a head that is no plain YAML (Unresolved tag: !x)',
    ],
    [
      'a tool that is none',
      () => {
        put('a/notes/SKILL.md', head('notes', 'allowed-tools: Bash(git:*)\n'));
      },
      'notes: its SKILL.md names the tool `Bash(git:*)` in `allowed-tools`, which is none of this program',
    ],
    [
      'too long a text',
      () => {
        put('a/notes/SKILL.md', head('notes') + long);
      },
      'notes: its SKILL.md is larger than 262144 bytes',
    ],
    [
      'folders without end',
      () => {
        put('a/notes/SKILL.md', head('notes'));
        for (let n = 0; n < 500; n += 1) mkdirSync(at(`a/notes/f${n}`));
      },
      'notes: it holds more than 500 folders',
    ],
    [
      'a link in it',
      () => {
        put('a/notes/SKILL.md', head('notes'));
        symlinkSync('/etc/passwd', at('a/notes/more'));
      },
      'notes: `more` in it is a link: put the file there',
    ],
    [
      'a link instead of it',
      () => {
        put('b/notes/SKILL.md', head('notes'));
        mkdirSync(at('a'));
        symlinkSync(at('b/notes'), at('a/notes'));
      },
      'notes: it is a link: put the folder there',
    ],
    ['no bundle', () => undefined, ': the folder `HOME/a` cannot be read'],
  ])('says why, and leaves it out: %s', async (_what, make, message) => {
    make();
    expect(await problemsOf()).toEqual([message.replace('HOME', home)]);
  });

  it('leaves out a file with a second name, which could be written there', async () => {
    put('a/notes/SKILL.md', head('notes'));
    put('elsewhere', 'x');
    linkSync(at('elsewhere'), at('a/notes/more'));
    expect(await problemsOf()).toEqual([
      `notes: \`${at('a/notes/more')}\` has a second name: copy the file`,
    ]);
  });
});

describe('given two bundles with a skill of one name', () => {
  it('takes that of the bundle whose name sorts first, whatever their order, and names the other', async () => {
    put('one/notes/SKILL.md', head('notes'));
    put('two/notes/SKILL.md', head('notes'));
    for (const bundles of [
      { b: at('two'), a: at('one') },
      { a: at('one'), b: at('two') },
    ]) {
      const found = await new SkillLibrary().of(bundles);
      expect(found.skills.map(({ bundle }) => bundle)).toEqual(['a']);
      expect(found.problems).toEqual([
        {
          bundle: 'b',
          skill: 'notes',
          message: 'the bundle `a` holds a skill of that name, which counts',
        },
      ]);
    }
  });

  it('says so when a config is checked only where one agent has both', async () => {
    put('one/notes/SKILL.md', head('notes'));
    put('two/notes/SKILL.md', head('notes'));
    const problems = async (bundles: string): Promise<readonly string[]> => {
      const parsed = parseConfig({
        text: `[agents.x]\nprovider = "p"\nskill_bundles = ${bundles}\n[skill_bundles.a]\ndirectory = "one"\n[skill_bundles.b]\ndirectory = "two"\n[skill_bundles.c]\ndirectory = "three"\n[providers.p]\ntype = "scripted"\nscript = "s"\nprices = "free"\n`,
        format: 'toml',
        file: 'lockstep.toml',
        host: {
          home: '/~',
          base: home,
          data: at('data'),
          config: at('lockstep.toml'),
          program: [],
        },
      });
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      return (await skillProblems(parsed.config, home)).map(
        ({ path, message }) => `${path}: ${message}`,
      );
    };
    const missing = `skill_bundles.c.directory: the folder \`${at('three')}\` cannot be read`;
    expect(await problems('["a"]')).toEqual([missing]);
    expect(await problems('["a", "b"]')).toEqual([
      missing,
      'skill_bundles.b.directory: the skill `notes` is left out: the bundle `a` holds a skill of that name, which counts',
    ]);
  });
});
