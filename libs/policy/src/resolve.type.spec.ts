import { describe, expect, it } from 'vitest';
import { oneAgent, runRequest } from './applied.fixture.ts';
import { isResolvedPolicy, resolve, type ResolvedPolicy } from './resolve.ts';

/** Stands for the engine: it takes a policy and nothing like one. */
const takes = (policy: ResolvedPolicy): boolean => isResolvedPolicy(policy);

const policyOf = (): ResolvedPolicy => {
  const found = resolve(oneAgent(), runRequest(), {});
  if (!found.ok) throw new Error('the example has a policy');
  return found.policy;
};

describe('the type of a sealed policy', () => {
  it('admits what resolve() made', () => {
    expect(takes(policyOf())).toBe(true);
  });

  it('does not admit a literal', () => {
    // @ts-expect-error a literal has no seal
    expect(takes({ parts: policyOf().parts })).toBe(false);
  });

  it('does not admit a spread copy', () => {
    // @ts-expect-error a spread copy loses the seal
    expect(takes({ ...policyOf() })).toBe(false);
    // @ts-expect-error a spread copy with a wider part loses the seal
    expect(takes({ ...policyOf(), parts: policyOf().parts })).toBe(false);
  });

  it('does not admit what came through JSON or a clone of the parts', () => {
    const cloned = structuredClone({ parts: policyOf().parts });
    // @ts-expect-error a clone of the parts has no seal
    expect(takes(cloned)).toBe(false);
    const parsed = JSON.parse(JSON.stringify(policyOf())) as { parts: ResolvedPolicy['parts'] };
    // @ts-expect-error parsed JSON has no seal
    expect(takes(parsed)).toBe(false);
  });

  it('does not admit a single cast of another value', () => {
    // @ts-expect-error a text is no policy, whatever it is called
    expect(takes('policy' as ResolvedPolicy)).toBe(false);
    // @ts-expect-error an object of another shape is no policy, whatever it is called
    expect(takes({ snapshot: 1 } as ResolvedPolicy)).toBe(false);
  });

  it('does not let a part be replaced', () => {
    const policy = policyOf();
    expect(() => {
      // @ts-expect-error the parts of a policy are not written to
      policy.parts = policy.parts;
    }).toThrow(TypeError);
  });
});
