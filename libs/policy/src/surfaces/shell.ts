import { chain } from '../orders/chain.ts';
import { clauses } from '../orders/clauses.ts';
import { set } from '../orders/set.ts';
import { trueIsNarrower } from '../orders/true-is-narrower.ts';
import { coversCommands } from './covers.ts';
import { layered } from './setting.ts';
import { clausesOf } from './written.ts';

/** Which commands may run, and how confined. */
export const shellSettings = {
  'shell.allowed_commands': layered('shell.allowed_commands', {
    order: clauses(coversCommands),
    layer: 'risk',
    fallback: '[]',
    explain: 'Commands that may run, as program names or word prefixes.',
    pick: (tables) => tables.shell?.allowed_commands,
    read: clausesOf,
    default: () => [[]],
  }),
  'shell.env_passthrough': layered('shell.env_passthrough', {
    order: set,
    layer: 'risk',
    fallback: '[]',
    explain: 'Environment variables that commands are given.',
    pick: (tables) => tables.shell?.env_passthrough,
    read: (written) => written,
    default: () => [],
  }),
  'shell.block_high_risk': layered('shell.block_high_risk', {
    order: trueIsNarrower,
    layer: 'risk',
    fallback: 'true',
    explain: 'Whether commands that run other programs are refused.',
    pick: (tables) => tables.shell?.block_high_risk,
    read: (written) => written,
    default: () => true,
  }),
  'shell.sandbox': layered('shell.sandbox', {
    order: chain(['required', 'preferred', 'off']),
    layer: 'risk',
    fallback: '"required"',
    explain: 'Whether commands run in the sandbox.',
    pick: (tables) => tables.shell?.sandbox,
    read: (written) => written,
    default: () => 'required',
  }),
};
