/** What makes a command one that runs other programs, takes code, or ends processes; null = nothing that is known. Advice only: what
 * holds a process is the sandbox. */
export const whyHighRisk = (argv: readonly string[]): string | null => {
  const [word = '', ...args] = argv;
  const name = word.slice(word.lastIndexOf('/') + 1);
  // What an agent wrote itself can stand at a path.
  if (word.includes('/')) return `\`${word}\` is named by its path`;
  if (programs.has(name) || programs.has(name.replace(/[-0-9.]+$/, '')))
    return `\`${name}\` runs other programs or takes code`;
  const risky = byArguments[name];
  const found = risky?.(args) ?? null;
  return found === null ? null : `\`${name} ${found}\` runs other programs or takes code`;
};

/** By name. A version behind a name changes nothing: `python3.11` is `python`. */
const programs: ReadonlySet<string> = new Set(
  `
  eval source . exec trap command builtin alias unalias enable hash set shopt coproc let declare typeset local export readonly
  mapfile readarray complete compgen compopt bind fc history jobs read printf unset test [ wait getopts kill pkill killall
  sh bash rbash dash ash zsh ksh mksh fish csh tcsh busybox toybox script expect screen tmux
  env xargs parallel nohup time timeout watch nice ionice taskset chrt stdbuf unbuffer setsid setarch flock chroot unshare nsenter
  setpriv capsh prlimit bwrap firejail run-parts start-stop-daemon strace ltrace gdb lldb perf valgrind ld.so ld-linux-x86-64.so
  sudo su doas runuser pkexec systemd-run systemctl service crontab at batch dbus-run-session dbus-send busctl
  ssh scp sftp rsync rsh mosh socat nc ncat netcat telnet ftp lftp curl wget
  awk gawk mawk nawk perl python pypy ruby node nodejs deno bun lua luajit php tclsh wish java jshell groovy scala kotlin erl elixir
  iex ghc runghc racket guile sbcl clisp julia Rscript R octave m4 dc ed ex vi vim nvim view emacs nano pico less more man info
  make gmake cmake ninja meson scons rake ant mvn gradle bazel just npm npx pnpm yarn corepack pip pipx uv uvx poetry gem bundle
  cargo rustc go gcc g++ cc c++ clang ld as tcc javac dotnet msbuild swift docker podman nerdctl kubectl helm vagrant ansible terraform
  apt apt-get dpkg yum dnf rpm pacman apk snap flatpak brew
  sqlite psql mysql mariadb mongo redis-cli gpg openssl pkill xdg-open open osascript
  `
    .trim()
    .split(/\s+/),
);

type Risk = (args: readonly string[]) => string | null;

const anyOf =
  (pattern: RegExp): Risk =>
  (args) =>
    args.find((arg) => pattern.test(arg)) ?? null;

/** What of git neither runs hooks nor reads another program's name from its arguments. */
const plainGit: ReadonlySet<string> = new Set(
  'add blame branch cat-file describe diff init log ls-files ls-tree mv reset restore rev-list rev-parse rm shortlog show stash status tag version'.split(
    ' ',
  ),
);

const gitRisk: Risk = (args) => {
  const [first] = args;
  if (first === undefined) return null;
  if (!plainGit.has(first)) return first;
  return anyOf(/^-O|^--(ext-diff|textconv|open-files-in-pager|exec|upload-pack|edit)/)(args);
};

/** Programs that run others only when their arguments say so. */
const byArguments: Readonly<Partial<Record<string, Risk>>> = {
  git: gitRisk,
  find: anyOf(/^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/),
  fd: anyOf(/^(-x|-X|--exec|--exec-batch)/),
  fdfind: anyOf(/^(-x|-X|--exec|--exec-batch)/),
  rg: anyOf(/^--(pre|hostname-bin)/),
  tar: anyOf(/^(-[a-zA-Z]*[IF]|--(to-c|ch|us|rsh-c|inf|new-vol|rmt))/),
  sort: anyOf(/^--comp/),
  split: anyOf(/^--filter/),
  zip: anyOf(/^(-[a-zA-Z]*T|--unzip)/),
  install: anyOf(/^--strip-p/),
  cpio: anyOf(/^--rsh/),
  // Its scripts may run commands and write files, unless it is told to keep to text.
  sed: (args) =>
    args[0] === '--sandbox' ? null : (args.find((arg) => !arg.startsWith('-')) ?? ''),
};
