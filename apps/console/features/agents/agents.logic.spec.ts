import { describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import {
  agentState,
  bySurface,
  foldTrail,
  type AgentRow,
  type TrailChoice,
} from './agents.logic.ts';

const agent: AgentRow = {
  alias: 'researcher',
  enabled: true,
  complete: true,
  missing: [],
  paused: false,
  stopped: false,
  provider: 'local',
  riskProfile: 'careful',
  runtimeProfile: 'short',
};

describe('the state of an agent', () => {
  it.each([
    [agent, 'ready'],
    [{ ...agent, paused: true }, 'paused'],
    [{ ...agent, paused: true, stopped: true }, 'stopped'],
    [{ ...agent, enabled: false, paused: true }, 'disabled'],
    [{ ...agent, complete: false, missing: ['provider'], enabled: false }, 'incomplete'],
  ])('names what keeps it from work first', (row, word) => {
    expect(agentState(row).word).toBe(word);
  });
});

const choice: TrailChoice = {
  verdict: null,
  path: null,
  tool: null,
  rule: null,
  person: null,
  text: null,
};
const paused: LockstepEvent = {
  id: '00000000-0000-7000-8000-000000000001',
  stream: 'agent-researcher',
  revision: 0,
  position: '00000000000000000005',
  schema: 1,
  time: 20,
  meta: {
    agent: 'researcher',
    path: null,
    trigger: null,
    principal: { kind: 'local', id: 'local', person: null },
    session: null,
    turn: null,
    root: null,
    parent: null,
    chain: [],
    correlation: 'c',
    causation: null,
    attempt: 1,
    epoch: 0,
    agentSeq: 1,
    daemon: 'd1',
    build: 'test',
  },
  type: 'AgentPaused',
  data: { by: 'local', why: 'looking into it' },
};

describe('given an open trail', () => {
  const empty = { items: [], next: null };

  it('puts a new entry of its agent first, once', () => {
    const fold = foldTrail('researcher', choice);
    const once = fold(empty, paused);
    expect(once.items.map(({ id, type }) => [id, type])).toEqual([[paused.id, 'AgentPaused']]);
    expect(fold(once, paused)).toBe(once);
  });

  it('leaves out what its filters leave out, and other agents', () => {
    expect(foldTrail('researcher', { ...choice, verdict: 'refuse' })(empty, paused)).toBe(empty);
    expect(foldTrail('reviewer', choice)(empty, paused)).toBe(empty);
  });
});

it('groups settings by surface, later ones apart', () => {
  const row = (key: string, source: string) => ({
    key,
    value: 'v',
    source,
    name: null,
    path: null,
    explain: 'e',
  });
  const rows = [row('tools.allowed', 'agent'), row('memory.backend', 'later')];
  expect(bySurface(rows)).toEqual([
    { surface: 'tools', rows: [rows[0]], later: [] },
    { surface: 'memory', rows: [], later: [rows[1]] },
  ]);
});
