export { fakeMemory, type FakeMemory } from './fake-memory.ts';
export { memoryStore, type MemoryStore, type MemoryStoreOptions } from './memory-store.ts';
export { sequentialIds } from './sequential-ids.ts';
export { fixedClock, type FixedClock } from './fixed-clock.ts';
export { samplePolicy, type PolicyChanges } from './sample-policy.ts';
export {
  sampleCall,
  sampleFacts,
  samplePath,
  sampleRoots,
  sampleState,
  sampleTool,
} from './sample-call.ts';
export { fakeModel, type FakeModel, type ModelAsked, type ModelStep } from './fake-model.ts';
export { fakeTools, type FakeTools, type ToolRun } from './fake-tools.ts';
export { plainMasker } from './plain-masker.ts';
export { givenTurn, specTime, type GivenTurn, type WhenTurn } from './turn-spec.ts';
