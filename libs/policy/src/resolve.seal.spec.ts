import { describe, expect, it } from 'vitest';
import { oneAgent, runRequest } from './applied.fixture.ts';
import { isResolvedPolicy, narrowPolicy, resolve, type ResolvedPolicy } from './resolve.ts';

const policyOf = (): ResolvedPolicy => {
  const found = resolve(oneAgent(), runRequest(), {});
  if (!found.ok) throw new Error('the example has a policy');
  return found.policy;
};

/** The class that a policy leads to, as anybody can reach it. */
const classOf = (policy: ResolvedPolicy): new (...given: unknown[]) => object =>
  policy.constructor as new (...given: unknown[]) => object;

describe('a sealed policy', () => {
  it('is known by its seal', () => {
    expect(isResolvedPolicy(policyOf())).toBe(true);
  });

  const policy = policyOf();
  const forged: [string, unknown][] = [
    ['a structured clone', structuredClone(policy.parts)],
    ['a JSON copy', JSON.parse(JSON.stringify(policy))],
    ['a spread copy', { ...policy }],
    ['an object made on it', Object.create(policy)],
    ['an object of its prototype', Object.create(Object.getPrototypeOf(policy) as object)],
    [
      'an object given its prototype',
      Object.setPrototypeOf({ parts: policy.parts }, Object.getPrototypeOf(policy) as object),
    ],
    ['a proxy of it', new Proxy(policy, {})],
    ['an assigned copy', Object.assign(Object.create(Object.getPrototypeOf(policy) as object), {})],
    ['nothing', null],
    ['a text', 'policy'],
  ];
  it.each(forged)('is not %s', (_, value) => {
    expect(isResolvedPolicy(value)).toBe(false);
  });

  it('cannot be made through its constructor', () => {
    const Made = classOf(policy);
    const guesses = [undefined, Symbol('policy'), Symbol.for('policy'), policy];
    for (const guess of guesses) {
      expect(() => new Made(guess, policy.parts)).toThrow('a policy is minted only by resolve()');
    }
  });

  it('cannot be made through a class below its own', () => {
    class Wider extends classOf(policy) {}
    expect(() => new Wider(Symbol('policy'), policy.parts)).toThrow(TypeError);
    expect(() => Reflect.construct(classOf(policy), [undefined, policy.parts], Object)).toThrow(
      TypeError,
    );
  });

  it('cannot have its class taught to take anything for a policy', () => {
    const made = classOf(policy) as unknown as { is: unknown };
    expect(() => {
      made.is = () => true;
    }).toThrow(TypeError);
    expect(() => Object.defineProperty(classOf(policy).prototype, 'parts', {})).toThrow(TypeError);
    expect(isResolvedPolicy({})).toBe(false);
  });

  it('cannot be changed, down to its last list', () => {
    const { snapshot } = policy.parts;
    expect(() => snapshot.tools.allowed.push(['*'])).toThrow(TypeError);
    expect(() => snapshot.tools.allowed[0]?.push('*')).toThrow(TypeError);
    expect(() => {
      snapshot.approval.autonomy = 'full';
    }).toThrow(TypeError);
    expect(() => Object.assign(policy, { parts: {} })).toThrow(TypeError);
  });

  it('keeps its own copy of the request and leaves the caller its own', () => {
    const request = { ...runRequest(), client: { 'tools.denied': ['shell'] } };
    const found = resolve(oneAgent(), request, {});
    request.client['tools.denied'].push('file_read');
    expect(found.ok && found.policy.parts.request.client).toEqual({ 'tools.denied': ['shell'] });
    expect(found.ok && found.policy.parts.snapshot.tools.denied).toEqual(['builtin:shell']);
  });

  it('is needed to narrow a running turn', () => {
    const fake = Object.create(policy) as ResolvedPolicy;
    expect(() => narrowPolicy(policy.parts.snapshot, fake)).toThrow(TypeError);
  });
});
