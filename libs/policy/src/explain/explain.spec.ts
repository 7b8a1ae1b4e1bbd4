import { describe, expect, it } from 'vitest';
import { oneAgent } from '../applied.fixture.ts';
import { readPolicy } from '../read-policy.ts';
import { settingKeys } from '../setting-key.ts';
import type { PolicySnapshot } from '../snapshot.ts';
import { comparePolicies } from './compare-policies.ts';
import { explainPolicy, explainSetting } from './explain.ts';
import { valueText } from './value-text.ts';

const policyOf = (tables: Record<string, unknown>) => {
  const found = readPolicy(oneAgent(tables), 'a');
  if (!found.ok) throw new Error(found.problem.message);
  return found.policy;
};
const snapshotOf = (tables: Record<string, unknown>): PolicySnapshot => policyOf(tables).snapshot;

describe('the explanation of a setting', () => {
  it('says what it does, its default, where it is written and how it meets', () => {
    expect(explainSetting('approval.autonomy')).toBe(
      'What runs without a question: `read_only` admits reading tools alone, `supervised` asks for the others, `full` asks for none. ' +
        'Its default is `"supervised"`. It is written as `autonomy` in an agent or its risk profile. ' +
        'Two values meet so: chain: read_only < supervised < full.',
    );
  });
});

describe('the explanation of a policy', () => {
  it('has a row for every setting with its value and where that came from', () => {
    const rows = explainPolicy(policyOf({ tools: { allowed: ['time_now', 'file_*'] } }));
    expect(rows.map(({ key }) => key)).toEqual(settingKeys);
    expect(rows[0]).toEqual({
      key: 'tools.allowed',
      value: 'builtin:file_* or builtin:time_now',
      source: 'agent',
      name: 'a',
      path: 'agents.a.tools.allowed',
      explain: 'Tools that may be called, of every source, as patterns on the canonical id.',
    });
  });
});

describe('the text of a value', () => {
  it.each([
    ['tools.allowed', [[]], 'nothing'],
    ['tools.allowed', [['*']], 'everything'],
    ['tools.allowed', [['a', 'b'], ['c']], '(a or b) and c'],
    ['tools.denied', [], 'none'],
    ['tools.denied', ['a', 'b'], 'a, b'],
    ['budgets.max_cost_usd_per_turn', 1_000_000, '$1.00'],
    ['budgets.max_cost_usd_per_turn', 250, '$0.00025'],
    ['budgets.max_cost_usd_per_turn', 'unlimited', 'unlimited'],
    ['approval.timeout_secs', 900, '900 s'],
    ['budgets.max_tool_calls', 30, '30'],
    ['output.stream', true, 'true'],
    ['workspace.access', { b: 'read' }, '{"b":"read"}'],
  ] as const)('of %s %o is short', (key, value, text) => {
    expect(valueText(key, value)).toBe(text);
  });
});

describe('two policies compared', () => {
  const labels = (before: Record<string, unknown>, after: Record<string, unknown>) =>
    comparePolicies(snapshotOf(before), snapshotOf(after)).map(
      ({ key, label }) => `${key} ${label}`,
    );

  it('differ in nothing when they are equal', () => {
    expect(labels({ tools: { allowed: ['a', 'b'] } }, { tools: { allowed: ['b', 'a'] } })).toEqual(
      [],
    );
  });

  it('differ by what the order of a setting tells', () => {
    const less = { autonomy: 'read_only', budgets: { max_tool_calls: 3 } };
    expect(labels({}, less)).toEqual([
      'approval.autonomy narrower',
      'budgets.max_tool_calls narrower',
    ]);
    expect(labels(less, {})).toEqual(['approval.autonomy wider', 'budgets.max_tool_calls wider']);
  });

  it('differ by what patterns admit', () => {
    const allowed = (...tools: string[]) => ({ tools: { allowed: tools } });
    expect(labels(allowed('file_*'), allowed('file_read'))).toEqual(['tools.allowed narrower']);
    expect(labels(allowed('file_read'), allowed('*'))).toEqual(['tools.allowed wider']);
    expect(labels(allowed('file_read'), allowed('time_now'))).toEqual(['tools.allowed other']);
    // Every built-in tool that the longer list adds is one that the shorter one lacks.
    expect(labels(allowed('file_read', 'file_w*'), allowed('file_*'))).toEqual([
      'tools.allowed wider',
    ]);
  });

  it('differ by what is denied', () => {
    const denied = (...tools: string[]) => ({ tools: { denied: tools } });
    expect(labels(denied(), denied('shell'))).toEqual(['tools.denied narrower']);
    expect(labels(denied('file_*'), denied('file_read'))).toEqual(['tools.denied wider']);
    expect(labels(denied('file_read'), denied('shell'))).toEqual(['tools.denied other']);
  });

  it('differ by hosts and paths', () => {
    const hosts = (...allowed_hosts: string[]) => ({ network: { allowed_hosts } });
    expect(labels(hosts('*.a.test'), hosts('b.a.test'))).toEqual([
      'network.allowed_hosts narrower',
    ]);
    expect(labels(hosts('a.test'), hosts('http://a.test'))).toEqual([
      'network.allowed_hosts other',
    ]);
    const paths = (...forbidden_paths: string[]) => ({ workspace: { forbidden_paths } });
    expect(labels(paths('/x/y'), paths('/x'))).toEqual(['workspace.forbidden_paths narrower']);
    expect(labels(paths('**/.env'), paths('**/*'))).toEqual(['workspace.forbidden_paths narrower']);
  });
});
