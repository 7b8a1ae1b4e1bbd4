import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parityMatrix, parityView, parseEvent, type LockstepEvent } from '@lockstep/engine';
import { triggersByPath } from '@lockstep/policy';

/** A history of the first registry, recorded with a build whose run path read config for itself. */
const file = new URL('../../examples/divergence/history.jsonl', import.meta.url);

it('shows the example of a path that bypassed the seam as one gap, whatever registry it was recorded under', () => {
  const events = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): LockstepEvent => {
      const read = parseEvent(JSON.parse(line));
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      return read.event;
    });
  const matrix = parityMatrix({ supportedTriggers: Object.values(triggersByPath).flat() });
  const view = parityView(events.reduce((s, event) => matrix.fold(s, event), matrix.initial()));
  const gaps = view.rows.flatMap(({ setting, cells }) =>
    Object.entries(cells).flatMap(([path, { state, kind }]) =>
      state === 'gap' ? [[setting, path, kind]] : [],
    ),
  );
  expect(gaps).toEqual([['tools.denied', 'loop', 'wider']]);
});
