import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose specs start processes, browsers and brokers, the slowest first; all other specs take a second or few. */
const slow = ['test/faults/', 'test/e2e/', 'test/recovery/', 'test/replay/', 'test/channels/'];

/**
 * The order in which files are run: the slowest first, so that all workers have work to the end and none runs a long file alone.
 * What a run took before is not asked, as a build server has no such memory.
 */
export class SlowestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weighed = files.map((file) => {
      const name = relative(this.ctx.config.root, file.moduleId);
      const folder = slow.findIndex((begin) => name.startsWith(begin));
      const rank = folder === -1 ? slow.length : folder;
      return { file, rank, size: statSync(file.moduleId).size };
    });
    weighed.sort((a, b) => a.rank - b.rank || b.size - a.size);
    return Promise.resolve(weighed.map(({ file }) => file));
  }
}
