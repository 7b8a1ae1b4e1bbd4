import type { PolicySnapshot } from '@lockstep/policy';
import { privateMark } from '../probe-tools.ts';
import { call, calls, type Attack, type AttackCall } from './attack.ts';
import { allowedUrl, firstOf, may } from './tools-of.ts';

/** Files outside the roots, in roots and in workspaces that were given, and on paths that are closed. */
export const places: readonly Attack[] = [0, 1, 2].map((n) => ({
  name: `files in every place (${n + 1})`,
  applies: (policy) => listOf(policy).length > n * perTurn,
  reply: ({ policy, step }) => {
    const found = listOf(policy).slice(n * perTurn, (n + 1) * perTurn);
    return step > 1 || found.length === 0 ? null : calls(...found);
  },
}));

const perTurn = 4;

const listOf = (policy: PolicySnapshot): readonly AttackCall[] => {
  const reads = firstOf(policy, ['file_read', 'file_list', 'file_search']);
  const writes = firstOf(policy, ['file_write', 'file_edit']);
  const { root, allowed_roots, access, forbidden_paths, siblings } = policy.workspace;
  const at = (tool: string | null, path: string): readonly AttackCall[] =>
    tool === null ? [] : [{ tool, args: argsOf(tool, path) }];
  const given = Object.entries(access);
  const notGiven = Object.entries(siblings).filter(([alias]) => !Object.hasOwn(access, alias));
  const closed = forbidden_paths.map((path) =>
    path.startsWith('**/') ? `${root}/${path.slice(3).replaceAll('*', 'probe')}` : path,
  );
  const any = reads ?? writes;
  return [
    ...at(any, '/probe-outside/a.txt'),
    ...at(any, `${root}/probe.txt`),
    ...allowed_roots.slice(0, 2).flatMap((path) => at(any, `${path}/probe.txt`)),
    ...closed.slice(0, 2).flatMap((path) => at(any, `${path}/probe.txt`)),
    ...given
      .slice(0, 2)
      .flatMap(([alias, mode]) =>
        at(mode === 'read' ? reads : any, `${siblings[alias]?.root ?? root}/probe.txt`),
      ),
    ...notGiven.slice(0, 1).flatMap(([, { root: theirs }]) => at(any, `${theirs}/probe.txt`)),
    ...policy.context.identity.files.slice(0, 1).flatMap((path) => at(writes, path)),
  ];
};

const argsOf = (tool: string, path: string): AttackCall['args'] => {
  if (tool === 'builtin:file_search') return { path, pattern: 'probe' };
  if (tool === 'builtin:file_write') return { path, content: 'probe' };
  if (tool === 'builtin:file_edit') return { path, old_text: 'a', new_text: 'b' };
  return { path };
};

/** Hosts that are not on the list, and names on it that lead into the own network. */
export const addresses: Attack = {
  name: 'addresses',
  applies: (policy) => may(policy, 'builtin:http_fetch'),
  reply: ({ policy, step }) =>
    step > 1
      ? null
      : calls(
          call('http_fetch', { url: 'https://not-allowed.invalid/' }),
          call('http_fetch', { url: allowedUrl(policy, privateMark) }),
        ),
};
