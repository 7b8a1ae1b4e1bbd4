import { roleNames } from '../../names.ts';
import { didYouMean } from '../nearest.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { atValue, riskHolders, type CheckContext, type ConfigCheck } from './check-context.ts';
import { checkName, noChannel, targets } from './known-name.ts';

/** Who is asked must be somebody that there is. */
export const checkApprovers: ConfigCheck = (context) =>
  riskHolders(context).flatMap(({ path, tables: { approval } }) => {
    const approver = approval?.route?.approver;
    if (approver === undefined) return [];
    return checkApprover(context, [...path, 'approval', 'route', 'approver'], approver);
  });

const checkApprover = (
  context: CheckContext,
  at: ConfigPath,
  approver: string,
): ConfigProblem[] => {
  if (approver === 'inbox') return [];
  const [kind, name] = split(approver, ':');
  if (kind === 'people' && name !== '') return checkName(context, at, name, targets.person);
  if (kind === 'role' && name !== '') {
    if ((roleNames as readonly string[]).includes(name)) return [];
    const message = `unknown role \`${name}\`${didYouMean(name, roleNames)}`;
    return [atValue(context, 'unknown_name', at, message)];
  }
  const [binding, conversation] = split(name, '/');
  if (kind === 'channel' && binding !== '' && conversation !== '') {
    const message = noChannel(context, binding);
    return message === null ? [] : [atValue(context, 'unknown_name', at, message)];
  }
  const message = `\`${approver}\` is no approver, write \`inbox\`, \`people:<name>\`, \`role:<role>\` or \`channel:<kind>.<channel>/<conversation>\``;
  return [atValue(context, 'invalid_value', at, message)];
};

const split = (text: string, mark: string): readonly [string, string] => {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
};
