import type { Operand, Touched } from '@lockstep/engine';
import { builtinTools } from '../adapters/tools/builtin-tools.ts';
import type { Resolver } from '../adapters/tools/inspect-url.ts';
import type { ToolSource, ToolSources } from '../adapters/tools/tool-source.ts';
import type { Board } from './board.ts';
import type { ProbeClock } from './probe-clock.ts';

/** Every name leads to one public address. */
export const publicResolver: Resolver = () => Promise.resolve(['93.184.215.14']);

const privateResolver: Resolver = () => Promise.resolve(['10.0.0.1']);

/** Ends the path of an address whose name is to lead into the machine's own network. */
export const privateMark = '/probe-private';
/** Stands in the path of a file whose text is to be long, and of one that holds a secret. */
export const longMark = 'probe-long';
export const secretMark = 'probe-secret';

/** A token of a known form, which no service knows. */
export const knownSecret = `ghp_${'a1B2c3D4'.repeat(5).slice(0, 36)}`;

/** Tools that change nothing but the throwaway log: they run as they are. */
const harmless =
  /^builtin:(time_now|ask_user|memory_.*|skill_read|cron_.*|sop_start|delegate|spawn|message_peer)$|^mcp:/;

/** The daemon's tools with what they would do to the world left out. What they look at, and how it is judged, stays. */
export const probeTools = (
  board: Board,
  clock: ProbeClock,
): ((sources: ToolSources) => Pick<ToolSources, 'of' | 'list'>) => {
  const inward = builtinTools({ clock, resolver: privateResolver });
  const inPlaceOf = (source: ToolSource): ToolSource => ({
    owns: (id) => source.owns(id),
    inspect: (scope, spec, args, call) => {
      const leadsInside = JSON.stringify(args ?? null).includes(privateMark);
      const looking = leadsInside && spec.id === 'builtin:http_fetch' ? inward : source;
      return looking.inspect(scope, spec, args, call);
    },
    run: async (scope, started, args, running) => {
      if (board.trial?.attack.hangs === 'tool' && board.playing.has(scope.turn)) {
        board.hanging = 'tool';
        board.wake();
        await new Promise<void>((done) => {
          running.signal.addEventListener('abort', () => {
            done();
          });
        });
        return { ok: false, kind: 'unavailable', message: 'it took too long', touched: [] };
      }
      if (harmless.test(started.spec.id)) return source.run(scope, started, args, running);
      await new Promise((done) => setImmediate(done));
      const { operands } = started.event.data;
      const touched = operands.flatMap((operand) =>
        touchedBy(operand, started.event.data.argsDigest),
      );
      return { ok: true, text: textOf(args), isError: false, masked: 0, touched };
    },
  });
  return (sources) => ({
    of: (id) => {
      const source = sources.of(id);
      return source === null ? null : inPlaceOf(source);
    },
    list: (scope) => sources.list(scope),
  });
};

const textOf = (args: Readonly<Record<string, unknown>>): string => {
  const given = JSON.stringify(args);
  if (given.includes(longMark)) return 'a long line of the probe\n'.repeat(20_000);
  return given.includes(secretMark) ? `the key is ${knownSecret}` : 'done';
};

/** What the call would have touched, had it been carried out on what was judged. */
const touchedBy = (operand: Operand, digest: string): readonly Touched[] => {
  if (operand.kind === 'path' && operand.real !== null) {
    const access = operand.access === 'read' ? 'read' : 'write';
    return [{ kind: 'opened', path: operand.real, access }];
  }
  if (operand.kind === 'url') {
    const { host, port, scheme, addresses } = operand;
    const [first] = addresses;
    return first === undefined
      ? []
      : [{ kind: 'connected', host, port, scheme, address: first.address }];
  }
  if (operand.kind !== 'command') return [];
  const { given, sandboxed } = operand;
  return [{ kind: 'executed', argv: ['/bin/bash', '-c', given], digest, sandboxed, env: [] }];
};
