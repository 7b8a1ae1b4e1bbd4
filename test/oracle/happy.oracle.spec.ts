import { expect, it } from 'vitest';
import { ask, launched, typesOf, world } from './harness.ts';

it('smoke', async () => {
  const w = world({
    model: ({ modelCall }) =>
      modelCall === 1
        ? { calls: [{ tool: 'builtin:file_read', args: { path: 'a.md' } }] }
        : { say: 'done' },
  });
  const turn = await launched(w, ask('read it'));
  expect(w.problems).toEqual([]);
  console.log(typesOf(w, turn), await w.turns.answer(turn));
});
