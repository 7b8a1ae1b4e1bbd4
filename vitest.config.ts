import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/support/slowest-first.ts';

const conditions = ['lockstep-source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['libs/**/*.spec.ts', 'apps/**/*.spec.ts', 'test/**/*.spec.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.next/**'],
    // A limit is there to end what hangs: a loaded machine must not come near it.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    maxWorkers: 2,
    // Loading the sources takes as long as all pure specs together: a worker does it once. No module may hold the state of a spec.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
  },
});
