import { own } from '../orders/own.ts';
import { set } from '../orders/set.ts';
import { trueIsWider } from '../orders/true-is-wider.ts';
import type { PolicySnapshot } from '../snapshot.ts';
import { layered, ofAgent } from './setting.ts';

/** Which skills an agent has, and what they may do. */
export const skillsSettings = {
  'skills.bundles': ofAgent('skills.bundles', {
    order: set,
    written: 'skill_bundles',
    fallback: '[]',
    explain: 'Bundles whose skills the agent has.',
    read: ({ agent }) => agent.skill_bundles ?? null,
    default: () => [],
  }),
  'skills.allow_scripts': layered('skills.allow_scripts', {
    order: trueIsWider,
    layer: 'runtime',
    fallback: 'false',
    explain: 'Whether scripts of skills may run.',
    pick: (tables) => tables.skills?.allow_scripts,
    read: (written) => written,
    default: () => false,
  }),
  'skills.prompt_mode': layered('skills.prompt_mode', {
    order: own<PolicySnapshot['skills']['prompt_mode']>('compact'),
    layer: 'runtime',
    fallback: '"compact"',
    explain: 'How skills stand in the system text.',
    pick: (tables) => tables.skills?.prompt_mode,
    read: (written) => written,
    default: () => 'compact',
  }),
};
