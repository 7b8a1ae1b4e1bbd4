import { clauses } from '../orders/clauses.ts';
import { denyPatterns } from '../orders/deny-patterns.ts';
import { coversTools } from './covers.ts';
import { layered } from './setting.ts';
import { toolClausesOf, toolPatternsOf } from './written.ts';

/** Which tools an agent may call at all. */
export const toolsSettings = {
  'tools.allowed': layered('tools.allowed', {
    order: clauses(coversTools),
    layer: 'risk',
    fallback: '[]',
    explain: 'Tools that may be called, of every source, as patterns on the canonical id.',
    pick: (tables) => tables.tools?.allowed,
    read: toolClausesOf,
    default: () => [[]],
  }),
  'tools.denied': layered('tools.denied', {
    order: denyPatterns(['*']),
    layer: 'risk',
    fallback: '[]',
    explain: 'Tools that may never be called, whatever else allows them.',
    pick: (tables) => tables.tools?.denied,
    read: toolPatternsOf,
    default: () => [],
  }),
};
