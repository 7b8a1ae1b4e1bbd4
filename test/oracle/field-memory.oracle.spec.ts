import { builtinSpecs, type MemoryScope, type Operand } from '@lockstep/engine';
import { fakeTools } from '@lockstep/engine/testing';
import type { Principal } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import { ask, configWith, launched, world, type World } from './harness.ts';

// Private rows that came into a conversation of several people.

const canary = 'canary-of-one';
const someone = (id: string): Principal => ({ kind: 'local', id, person: null });
const room = someone('room');
const seen: Operand = { kind: 'memory', access: 'read', agents: ['a'], person: null, row: null };

/** Memory that finds one row of the person who asks. */
const tools = fakeTools(builtinSpecs, {
  root: '/ws/a',
  run: () => ({
    ok: true,
    text: canary,
    isError: false,
    masked: 0,
    touched: [{ kind: 'recalled', rows: ['r1'] }],
    recalled: {
      query: { inline: 'x' },
      limit: 5,
      scope: {
        backend: 'sqlite',
        agents: ['a'],
        person: { kind: 'person', id: 'local:one' },
      } satisfies MemoryScope,
      rows: [{ id: 'r1', agent: 'a', person: 'local:one', text: { inline: canary }, stored: 1 }],
    },
  }),
});

const recalling = (memory: Record<string, unknown>, version = 1) =>
  configWith({ memory: { auto_recall: false, ...memory } }, { version });

/** Two turns of one session; what the model was sent in the second. */
const second = async (
  memory: Record<string, unknown>,
  principal: Principal,
  between: (w: World) => void = () => undefined,
): Promise<string> => {
  const recall = { tool: 'builtin:memory_recall', args: { query: 'x' } };
  const w = world({
    config: recalling(memory),
    tools: {
      ...tools,
      inspect: () => Promise.resolve({ operands: [seen], roots: null, confined: false }),
    },
    model: ({ modelCall, input }) =>
      modelCall === 1 && input.messages.length === 1 ? { calls: [recall] } : { say: 'fine' },
  });
  const shared = { session: 'room', owner: room };
  await launched(w, ask('what did I say', { ...shared, principal: someone('one') }));
  between(w);
  await launched(w, ask('and what else', { ...shared, principal }));
  return JSON.stringify(w.model.asked.at(-1)?.input.messages);
};

describe('given a conversation in which memory gave rows of one person', () => {
  it('shows them again to that person', async () => {
    expect(await second({}, someone('one'))).toContain(canary);
  });

  it('shows them to nobody else there', async () => {
    const sent = await second({}, someone('two'));
    expect(sent).not.toContain(canary);
    expect(sent).toContain('what memory gave in an earlier turn is not for this one');
  });

  it('shows them to all where the agent shares its memory', async () => {
    expect(await second({ share: 'agent' }, someone('two'))).toContain(canary);
  });

  it('shows them no more once the agent has no memory', async () => {
    const off = (w: World): void => {
      w.apply(recalling({ backend: 'none' }, 2));
    };
    expect(await second({}, someone('one'), off)).not.toContain(canary);
  });
});
