import { expect, it } from 'vitest';
import { snapshotOf } from '../../../../../test/support/policy-snapshot.ts';
import type { ToolScope } from '@lockstep/engine';
import { SecretMasker } from '../secrets/secret-masker.ts';
import { Vault } from '../secrets/vault.ts';
import { KeptOutput } from './kept-output.ts';

const secret = 'value-of-the-secret-key';
const masker = new SecretMasker(new Vault(null), [{ name: 'KEY', value: secret }]);
const scope: ToolScope = {
  agent: 'writer',
  principal: { kind: 'local', id: 'local', person: null },
  session: 's',
  turn: 't',
  policy: snapshotOf('/ws'),
  policyDigest: '',
  narrowings: [],
};
const kept = (limit: number | 'unlimited', chunks: readonly string[]) => {
  const output = new KeptOutput(limit);
  for (const chunk of chunks) output.push(Buffer.from(chunk));
  return output.text(masker, scope);
};

it('gives a short output as it is', () => {
  expect(kept(100, ['a', 'b', 'c'])).toEqual({ text: 'abc', masked: 0 });
  expect(kept(100, [])).toEqual({ text: '', masked: 0 });
});

it('keeps the beginning and the end of a long one, whatever its pieces, and says about how much is missing', () => {
  const whole = `begin${'-'.repeat(400_000)}end`;
  for (const size of [7_001, 65_536, 500_000]) {
    const chunks: string[] = [];
    for (let i = 0; i < whole.length; i += size) chunks.push(whole.slice(i, i + size));
    const { text } = kept(1_000, chunks);
    expect(text.startsWith('begin---')).toBe(true);
    expect(text.endsWith('---end')).toBe(true);
    expect(text.length).toBeLessThan(1_100);
    expect(text).toMatch(/\n\[about \d+ bytes are left out\]\n/);
  }
});

it('shows no part of a secret that a cut goes through', () => {
  const filler = (n: number): string => '.'.repeat(n);
  for (let at = 16_384 + 480; at < 16_384 + 520; at += 1) {
    const { text } = kept(1_000, [filler(at), secret, filler(200_000), secret, filler(at)]);
    for (let n = 4; n <= secret.length; n += 1) expect(text).not.toContain(secret.slice(0, n));
    for (let n = 4; n <= secret.length; n += 1) expect(text).not.toContain(secret.slice(-n));
  }
});
