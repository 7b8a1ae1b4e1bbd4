import { expect, it } from 'vitest';
import type { PolicySnapshot } from '@lockstep/policy';
import { samplePolicy } from '../testing/index.ts';
import { judgeUrl, type UrlOperand } from './url-operand.ts';

const publicAddress = { address: '93.184.216.34', private: false };
const privateAddress = { address: '10.0.0.7', private: true };

const judge = (
  operand: Partial<UrlOperand>,
  network: Partial<PolicySnapshot['network']> = {},
): string => {
  const policy = samplePolicy({
    network: {
      allowed_hosts: [['api.example.com', '*.example.org', 'http://plain.example.com:8080']],
      ...network,
    },
  });
  const host = operand.host ?? 'api.example.com';
  const found = judgeUrl(policy, {
    kind: 'url',
    given: `https://${host}/x`,
    scheme: 'https',
    host,
    port: 443,
    method: 'GET',
    addresses: [publicAddress],
    ...operand,
  });
  return found === null ? 'passes' : found.rule.replace('network.', '');
};

it.each<[string, Partial<UrlOperand>, string]>([
  ['an allowed host', {}, 'passes'],
  ['another host', { host: 'evil.example.net' }, 'allowed_hosts'],
  ['a host that ends like an allowed one', { host: 'notapi.example.com' }, 'allowed_hosts'],
  ['a name below a star', { host: 'a.b.example.org' }, 'passes'],
  ['the name under the star itself', { host: 'example.org' }, 'allowed_hosts'],
  ['another port', { port: 8443 }, 'allowed_hosts'],
  ['plain http where it is not written', { scheme: 'http', port: 80 }, 'allowed_hosts'],
  [
    'plain http where it is written',
    { scheme: 'http', host: 'plain.example.com', port: 8080 },
    'passes',
  ],
  ['a file address', { scheme: 'file', host: '' }, 'allowed_hosts'],
  ['no host', { host: '' }, 'allowed_hosts'],
  ['a name that resolves to nothing', { addresses: [] }, 'allowed_hosts'],
  ['a private address', { addresses: [privateAddress] }, 'block_private_addresses'],
  [
    'one private address among others',
    { addresses: [publicAddress, privateAddress] },
    'block_private_addresses',
  ],
  ['a user name', { given: 'https://ana@api.example.com/x' }, 'allowed_hosts'],
  [
    'a user name before backslashes',
    { given: 'https:\\\\ana:pw@api.example.com' },
    'allowed_hosts',
  ],
  ['a user name without slashes', { given: 'https:ana@api.example.com' }, 'allowed_hosts'],
  [
    'a user name with blanks before it',
    { given: ' https://\tana@api.example.com' },
    'allowed_hosts',
  ],
  ['an at sign in the path', { given: 'https://api.example.com/@ana?x=@' }, 'passes'],
])('judges %s', (_what, operand, expected) => {
  expect(judge(operand)).toBe(expected);
});

it('lets a private address pass where the policy does not block it', () => {
  expect(judge({ addresses: [privateAddress] }, { block_private_addresses: false })).toBe('passes');
});

it('refuses a name without an address even where private ones are not blocked', () => {
  expect(judge({ addresses: [] }, { block_private_addresses: false })).toBe('allowed_hosts');
});

it('wants every clause of the allowed hosts to fit', () => {
  const allowed_hosts = [['*'], ['other.example.com']];
  expect(judge({}, { allowed_hosts })).toBe('allowed_hosts');
  expect(judge({ host: 'other.example.com' }, { allowed_hosts })).toBe('passes');
});
