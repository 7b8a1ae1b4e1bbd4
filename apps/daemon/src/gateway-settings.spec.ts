import { describe, expect, it } from 'vitest';
import { gatewaySettings } from './gateway-settings.ts';

const file = {
  host: '127.0.0.1',
  port: 7420,
  hosts: [],
  trusted_proxies: ['10.0.0.1'],
  max_body_kb: 1,
  rate_per_minute: 1,
};

describe('given flags, environment and file', () => {
  it('takes a flag before the file', () => {
    expect(gatewaySettings({ host: '::1', port: 0 }, {}, file)).toEqual({
      host: '::1',
      port: 0,
      trustedProxies: ['10.0.0.1'],
      extraHosts: [],
    });
  });

  it('takes lists of the environment before the file, an empty one too', () => {
    const env = { LOCKSTEP_TRUSTED_PROXIES: '10.1.0.0/16, 10.2.0.1', LOCKSTEP_HOSTS: 'daemon' };
    expect(gatewaySettings({}, env, file)).toEqual({
      host: '127.0.0.1',
      port: 7420,
      trustedProxies: ['10.1.0.0/16', '10.2.0.1'],
      extraHosts: ['daemon'],
    });
    expect(gatewaySettings({}, { LOCKSTEP_TRUSTED_PROXIES: '' }, file).trustedProxies).toEqual([]);
  });
});
