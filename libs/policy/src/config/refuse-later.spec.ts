import { describe, expect, it } from 'vitest';
import { laterKeys } from '../setting-key.ts';
import { registry } from '../surfaces/registry.ts';
import { complete, problemsIn } from './parse-config.fixture.ts';

const sections = ['skill_bundles', 'peer_groups', 'channels', 'cron', 'sops', 'heartbeat'];

describe('what comes later is refused by its name', () => {
  it.each(sections)('the section %s, whatever it holds', (section) => {
    const refused = `1:2 ${section} not_supported_yet: \`${section}\` is not supported yet, leave it out`;
    expect(problemsIn(`[${section}]`)).toEqual([refused]);
    expect(problemsIn(`[${section}]\nanything = { at = "all" }`)).toEqual([refused]);
  });

  it.each(['channels', 'skill_bundles', 'delegates'])('the key %s of an agent', (key) => {
    expect(problemsIn(`[agents.a]\n${key} = []`)).toEqual([
      `2:1 agents.a.${key} not_supported_yet: \`${key}\` is not supported yet, leave it out`,
    ]);
  });

  const writtenElsewhere = [
    'skills.bundles',
    'delegation.delegates',
    'channels.bindings',
    'channels.peers',
  ];
  const settings = laterKeys.filter((key) => !writtenElsewhere.includes(key));

  it.each(settings)('the setting %s, in a profile and in an agent', (key) => {
    for (const holder of ['agents.a', `${registry[key].layer}_profiles.r`])
      expect(problemsIn(`[${holder}]\n${key} = 1`)).toEqual([
        `2:${key.lastIndexOf('.') + 2} ${holder}.${key} not_supported_yet: \`${key}\` is not supported yet, leave it out`,
      ]);
  });

  it.each(['memory', 'skills', 'shell', 'delegation', 'context.identity'])(
    'the table %s, though it is empty',
    (table) => {
      expect(problemsIn(`[agents.a]\n${table} = {}`)).toEqual([
        `2:${table.lastIndexOf('.') + 2} agents.a.${table} not_supported_yet: \`${table}\` is not supported yet, leave it out`,
      ]);
    },
  );

  it('the other store', () => {
    expect(problemsIn('[store]\ntype = "eventstoredb"\nconnection = { env = "X" }')).toEqual([
      '2:8 store.type not_supported_yet: `eventstoredb` is not supported yet, write `"sqlite"`',
      '3:1 store.connection not_supported_yet: `store.connection` is not supported yet, leave it out',
    ]);
  });

  it('and an unknown key beside it is still an unknown key', () => {
    expect(problemsIn('[agents.a.memory]\nbackend = "sqlite"\nbackand = 1')).toEqual([
      '2:1 agents.a.memory.backend not_supported_yet: `memory.backend` is not supported yet, leave it out',
      '3:1 agents.a.memory.backand unknown_key: unknown key `backand`',
    ]);
  });

  it('while a table of settings that are enforced may be empty', () => {
    expect(problemsIn(`${complete}[agents.a.budgets]\n[agents.a.context]`)).toEqual([]);
  });
});
