import { describe, expect, it } from 'vitest';
import { oneAgent } from '../applied.fixture.ts';
import { surfaceNames } from '../names.ts';
import { isAtMost, sameValue } from '../orders/order.ts';
import { settingKeys } from '../setting-key.ts';
import { registry, settings } from './registry.ts';
import type { Place } from './setting.ts';

const { config, host } = oneAgent();
const agent = config.agents['a'];
if (agent === undefined) throw new Error('the example has an agent');
const place: Place = { alias: 'a', agent, config, host };

describe('the registry', () => {
  it('has one entry for every setting under its own key', () => {
    expect(Object.entries(registry).map(([key, entry]) => [key, entry.key])).toEqual(
      expect.arrayContaining(settingKeys.map((key) => [key, key])),
    );
    expect(Object.keys(registry)).toHaveLength(settingKeys.length);
  });

  it('has settings in every surface', () => {
    expect(new Set(settings.map(({ surface }) => surface))).toEqual(new Set(surfaceNames));
  });
});

describe.each(settings.map((setting) => ({ key: setting.key, setting })))(
  'the setting $key',
  ({ setting }) => {
    it('has a default in normal form, with the narrowest value below it', () => {
      const { value, source } = setting.derive(place);
      expect(source).toBe('default');
      expect(sameValue(setting.order.normal(value), value)).toBe(true);
      expect(isAtMost(setting.order, setting.order.bottom, value)).toBe(true);
    });

    it('is explained in one line', () => {
      expect(setting.explain).toMatch(/^[A-Z][^\n]{10,160}[.]$/);
    });
  },
);
