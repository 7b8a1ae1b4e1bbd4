import { expect, it } from 'vitest';
import { provenanceText, snapshotRows } from './turn-policy.logic.ts';

it('says where a value came from', () => {
  expect([
    provenanceText({ source: 'default', name: null, path: null }),
    provenanceText({ source: 'edge_grant', name: 'writer', path: null }),
    provenanceText({
      source: 'risk_profile',
      name: 'careful',
      path: 'risk_profiles.careful.autonomy',
    }),
    provenanceText({ source: 'ceiling', name: 'careful', path: 'limits.autonomy' }),
  ]).toEqual([
    'default',
    'edge grant writer',
    'risk_profiles.careful.autonomy',
    'ceiling careful, at limits.autonomy',
  ]);
});

it('leaves later settings out and says when there is no snapshot to show', () => {
  expect(
    snapshotRows({
      digest: 'd',
      config: { version: 1, digest: 'c' },
      snapshot: null,
      provenance: [
        { key: 'tools.allowed', source: 'agent', name: 'a', path: null },
        { key: 'shell.sandbox', source: 'later', name: null, path: null },
      ],
      narrowings: [],
      narrowedSince: [],
    }),
  ).toEqual([{ key: 'tools.allowed', value: 'not shown', from: 'agent a' }]);
});
