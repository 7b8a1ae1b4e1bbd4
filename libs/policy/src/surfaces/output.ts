import { limit } from '../orders/limit.ts';
import { trueIsNarrower } from '../orders/true-is-narrower.ts';
import { trueIsWider } from '../orders/true-is-wider.ts';
import { layered } from './setting.ts';

/** What leaves a turn as its reply. */
export const outputSettings = {
  'output.redact': layered('output.redact', {
    order: trueIsNarrower,
    layer: 'risk',
    fallback: 'true',
    explain: 'Whether secrets are masked in replies too.',
    pick: (tables) => tables.output?.redact,
    read: (written) => written,
    default: () => true,
  }),
  'output.max_reply_chars': layered('output.max_reply_chars', {
    order: limit,
    layer: 'risk',
    fallback: '20000',
    explain: 'Characters of a reply.',
    pick: (tables) => tables.output?.max_reply_chars,
    read: (written) => written,
    default: () => 20_000,
  }),
  'output.stream': layered('output.stream', {
    order: trueIsWider,
    layer: 'risk',
    fallback: 'true',
    explain: 'Whether a reply may be sent while it is made.',
    pick: (tables) => tables.output?.stream,
    read: (written) => written,
    default: () => true,
  }),
};
