import { clauses } from '../orders/clauses.ts';
import { coversTools } from './covers.ts';
import { layered } from './setting.ts';
import { toolClausesOf } from './written.ts';

/** Which tools are handed secret values. */
export const secretsSettings = {
  'secrets.unseal': layered('secrets.unseal', {
    order: clauses(coversTools),
    layer: 'risk',
    fallback: '[]',
    explain: 'Tools that are handed the value behind a placeholder.',
    pick: (tables) => tables.secrets?.unseal,
    read: toolClausesOf,
    default: () => [[]],
  }),
};
