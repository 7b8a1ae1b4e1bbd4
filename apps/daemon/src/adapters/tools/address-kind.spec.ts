import { describe, expect, it } from 'vitest';
import { isPrivate } from './address-kind.ts';
import { inspectUrl } from './inspect-url.ts';

describe('given an address', () => {
  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:169.254.169.254',
    '::ffff:168.63.129.16',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:1::1',
    '2001:db8::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    'not an address',
    '',
  ])('counts `%s` as private', (address) => {
    expect(isPrivate(address)).toBe(true);
  });

  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
    '2606:4700:4700::1111',
  ])('counts `%s` as public', (address) => {
    expect(isPrivate(address)).toBe(false);
  });
});

describe('given an address of the web', () => {
  const resolver = (host: string) =>
    Promise.resolve(host === 'two.test' ? ['93.184.216.34', '10.0.0.1', '10.0.0.1'] : []);

  const any = { network: { allowed_hosts: [['*']], block_private_addresses: true } };

  it('lists every address that the name has', async () => {
    expect(await inspectUrl(any, 'https://Two.Test/x', 'POST', resolver)).toEqual({
      kind: 'url',
      given: 'https://Two.Test/x',
      scheme: 'https',
      host: 'two.test',
      port: 443,
      method: 'POST',
      addresses: [
        { address: '10.0.0.1', private: true },
        { address: '93.184.216.34', private: false },
      ],
    });
  });

  it.each([
    ['http://0x7f.1:8080/', '127.0.0.1', 8080],
    ['http://2130706433/', '127.0.0.1', 80],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1', 80],
    ['http://017700000001/', '127.0.0.1', 80],
  ])('reads `%s` as the address that it means', async (given, host, port) => {
    expect(await inspectUrl(any, given, 'GET', resolver)).toMatchObject({
      host,
      port,
      addresses: [{ address: host, private: true }],
    });
  });

  it.each([
    ['https://note-to-self.elsewhere.test/'],
    ['http://two.test/'],
    ['https://two.test:8443/'],
    ['ftp://two.test/'],
  ])('asks no name server about `%s`, which the policy does not let through', async (given) => {
    const asked: string[] = [];
    const policy = { network: { allowed_hosts: [['two.test']], block_private_addresses: true } };
    const operand = await inspectUrl(policy, given, 'GET', (host) => {
      asked.push(host);
      return resolver(host);
    });
    expect({ asked, addresses: operand.addresses }).toEqual({ asked: [], addresses: [] });
  });

  it('finds no host in what is no address', async () => {
    expect(await inspectUrl(any, '//x', 'GET', resolver)).toMatchObject({
      host: '',
      addresses: [],
    });
    expect(await inspectUrl(any, 'https://gone.test', 'GET', resolver)).toMatchObject({
      addresses: [],
    });
  });
});
