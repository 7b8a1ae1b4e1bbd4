import { fixedClock, memoryStore, sequentialIds } from '@lockstep/engine/testing';
import { describe, expect, it } from 'vitest';
import { openArtifacts, sha256Hex } from './open-artifacts.ts';

const given = (earlier?: ReturnType<typeof memoryStore>) => {
  const memory = earlier ?? memoryStore({ clock: fixedClock(), daemon: 'd1', log: [] });
  const ids = sequentialIds(earlier === undefined ? 'a' : 'b');
  return { memory, artifacts: openArtifacts(memory.store, ids, { id: 'd1', build: 'b' }) };
};
/** Larger than two appends, and wider in JSON than in text. */
const large = 'x"\u0001é😀'.repeat(150_000);

describe('given a text', () => {
  it.each([[''], ['plain'], [large]])('gives it back by its digest', async (text) => {
    const { memory, artifacts } = given();

    const put = await artifacts.put(text);

    expect(put).toEqual({ digest: sha256Hex(text), bytes: Buffer.byteLength(text) });
    expect((await given(memory).artifacts.get(put.digest)) === text).toBe(true);
  });

  it('records it once, whoever puts it how often', async () => {
    const { memory, artifacts } = given();

    await Promise.all([artifacts.put(large), artifacts.put(large)]);
    await given(memory).artifacts.put(large);

    const texts = memory.events().map((e) => (e.type === 'ArtifactRecorded' ? e.data.text : ''));
    expect(texts.join('') === large).toBe(true);
  });

  it('completes what an interrupted put left behind', async () => {
    const { memory, artifacts } = given();
    memory.stopAfter(1);
    await expect(artifacts.put(large)).rejects.toMatchObject({ code: 'store_unavailable' });
    const digest = sha256Hex(large);
    expect(await given(memory).artifacts.get(digest)).toBeNull();
    memory.stopAfter(100);

    await given(memory).artifacts.put(large);

    expect((await given(memory).artifacts.get(digest)) === large).toBe(true);
  });
});

describe('given parts that do not give their digest', () => {
  it('refuses to hand them out', async () => {
    const { memory, artifacts } = given();
    const { digest } = await artifacts.put('real');
    const forged = memoryStore({
      clock: fixedClock(),
      daemon: 'd1',
      log: memory
        .events()
        .map((e) =>
          e.type === 'ArtifactRecorded' ? { ...e, data: { ...e.data, text: 'forged' } } : e,
        ),
    });

    await expect(given(forged).artifacts.get(digest)).rejects.toMatchObject({
      code: 'artifact_damaged',
    });
  });
});
