import { effectNames, type EnforcedKey, type PolicySnapshot } from '@lockstep/policy';
import { touchesOf, usesOf } from './calls.ts';
import { argumentsAt } from './declared-operands.ts';
import { nameAllowed } from './matcher.ts';
import { governed, objector, type Governed, type Monitor } from './monitor.ts';
import { textOf, type RecordedTurn } from './recorded-turn.ts';
import { effectsOf, mcpTool, own, type McpTool } from './tool-facts.ts';

interface McpUse extends McpTool {
  readonly event: { readonly id: string };
  readonly policy: PolicySnapshot;
}

/** MCP tools that were offered, let through, started or reached. */
const usedMcp = (turn: RecordedTurn): readonly McpUse[] => {
  const offered = governed(turn, 'ModelCallStarted').flatMap(({ event, policy }) =>
    event.data.advertised.map((tool) => ({ event, policy, tool })),
  );
  const used = usesOf(turn).map(({ at, policy, tool }) => ({ event: at.event, policy, tool }));
  const touched = touchesOf(turn).flatMap(({ at, start, touched: list }) =>
    list.flatMap((touch) =>
      touch.kind === 'mcp'
        ? [{ event: at.event, policy: start.policy, server: touch.server, name: touch.tool }]
        : [],
    ),
  );
  const named = [...offered, ...used].flatMap(({ event, policy, tool }) => {
    const mcp = mcpTool(tool);
    return mcp === null ? [] : [{ event, policy, ...mcp }];
  });
  return [...named, ...touched];
};

const bundles = objector('mcp.bundles');
/** Only servers of the agent's bundles are offered or reached, and each call reaches its own server. */
const bundlesMonitor: Monitor = (turn) => [
  ...usedMcp(turn).flatMap(({ event, policy, server }) =>
    Object.hasOwn(policy.mcp.servers, server)
      ? []
      : [bundles.violated({ event }, `server \`${server}\` is in no bundle of this agent`)],
  ),
  ...touchesOf(turn).flatMap(({ at, start, touched }) => {
    const asked = mcpTool(start.event.data.tool)?.server;
    return touched.flatMap((touch) =>
      touch.kind === 'mcp' &&
      touch.server !== asked &&
      Object.hasOwn(start.policy.mcp.servers, touch.server)
        ? [
            bundles.violated(
              at,
              `a call of \`${start.event.data.tool}\` reached \`${touch.server}\``,
            ),
          ]
        : [],
    );
  }),
  ...refused(turn, 'mcp.bundles').flatMap(({ at, policy, server }) =>
    Object.hasOwn(policy.mcp.servers, server)
      ? [bundles.narrower(at, `server \`${server}\` is in a bundle of this agent`)]
      : [],
  ),
];

const expose = objector('mcp.expose');
/** Only exposed tools of a server are offered or reached. */
const exposeMonitor: Monitor = (turn) => [
  ...usedMcp(turn).flatMap(({ event, policy, server, name }) => {
    const clauses = own(policy.mcp.expose, server);
    return clauses !== undefined && !nameAllowed(clauses, name)
      ? [expose.violated({ event }, `\`${name}\` of \`${server}\` is not exposed`)]
      : [];
  }),
  ...refused(turn, 'mcp.expose').flatMap(({ at, policy, server, name }) => {
    const clauses = own(policy.mcp.expose, server);
    return clauses !== undefined && nameAllowed(clauses, name)
      ? [expose.narrower(at, `\`${name}\` of \`${server}\` is exposed`)]
      : [];
  }),
];

const effects = objector('mcp.effects');
/** A call is judged by the effects that config declares; by all of them where it declares none. */
const effectsMonitor: Monitor = (turn) =>
  judged(turn).flatMap(({ event, policy }) => {
    const { tool, effects: recorded, facts } = event.data;
    if (tool === null || mcpTool(tool) === null) return [];
    const told = effectsOf(policy, tool, facts.operands);
    const missing = told.filter((effect) => !recorded.includes(effect));
    if (missing.length > 0)
      return [effects.violated({ event }, `judged without the effect ${missing.join(', ')}`)];
    const more = effectNames.filter((e) => recorded.includes(e) && !told.includes(e));
    return more.length > 0
      ? [effects.narrower({ event }, `judged with the undeclared effect ${more.join(', ')}`)]
      : [];
  });

const operands = objector('mcp.operands');
/** Declared operands are all judged; a tool without a declaration runs confined or not at all. */
const operandsMonitor: Monitor = (turn) => [
  ...governed(turn, 'ToolCallAuthorized').flatMap((at) => {
    const why = operandFault(turn, at);
    return why === null ? [] : [operands.violated(at, why)];
  }),
  ...refused(turn, 'mcp.operands').flatMap(({ at, policy, server, name, confined }) =>
    confined || own(own(policy.mcp.operands, server), name) !== undefined
      ? [operands.narrower(at, `the operands of \`${name}\` are declared or confined`)]
      : [],
  ),
];

const run = objector('mcp.run');
const share = objector('mcp.share');

export const mcpMonitors = {
  'mcp.bundles': bundlesMonitor,
  'mcp.expose': exposeMonitor,
  'mcp.effects': effectsMonitor,
  'mcp.operands': operandsMonitor,
  /** A server runs in the sandbox unless it is trusted in so many words. */
  'mcp.run': (turn) =>
    connections(turn).flatMap(({ event, policy, touch }) => {
      const wanted = own(policy.mcp.run, touch.server);
      if (own(policy.mcp.servers, touch.server)?.transport !== 'stdio') return [];
      if (wanted === 'sandboxed' && !touch.sandboxed)
        return [run.violated({ event }, `\`${touch.server}\` ran outside the sandbox`)];
      return wanted === 'trusted' && touch.sandboxed
        ? [run.narrower({ event }, `\`${touch.server}\` ran in the sandbox, and is trusted`)]
        : [];
    }),
  /** A connection serves one agent, and one session and principal of it unless it is shared. */
  'mcp.share': (turn) =>
    connections(turn).flatMap(({ event, policy, touch }) => {
      const first = turn.around.connection(touch.connection);
      const apart = own(policy.mcp.share, touch.server) === 'session';
      if (first === null) return [];
      const foreign = first.agent !== turn.agent;
      const other = first.session !== turn.session || first.principal !== principalOf(turn);
      return foreign || (apart && other)
        ? [share.violated({ event }, `a connection of \`${first.agent}\`, \`${first.session}\``)]
        : [];
    }),
} satisfies Record<Extract<EnforcedKey, `mcp.${string}`>, Monitor>;

/** Kind and id of who acts, as one word. */
export function principalOf(turn: RecordedTurn): string {
  return turn.principal === null ? '' : `${turn.principal.kind}:${turn.principal.id}`;
}

/** The MCP connections that finished calls went over. */
export function connections(turn: RecordedTurn) {
  return touchesOf(turn).flatMap(({ at, start, touched }) =>
    touched.flatMap((touch) =>
      touch.kind === 'mcp' ? [{ event: at.event, policy: start.policy, touch }] : [],
    ),
  );
}

function judged(turn: RecordedTurn) {
  return [
    ...governed(turn, 'ToolCallAuthorized'),
    ...governed(turn, 'ApprovalRequested'),
    ...governed(turn, 'ToolCallRefused'),
  ];
}

function refused(turn: RecordedTurn, rule: EnforcedKey) {
  return governed(turn, 'ToolCallRefused').flatMap((at) => {
    const { tool, facts } = at.event.data;
    const mcp = at.event.data.rule === rule && tool !== null ? mcpTool(tool) : null;
    return mcp === null ? [] : [{ at, policy: at.policy, confined: facts.confined, ...mcp }];
  });
}

function operandFault(turn: RecordedTurn, at: Governed<'ToolCallAuthorized'>): string | null {
  const { tool, facts, args } = at.event.data;
  const mcp = mcpTool(tool);
  if (mcp === null) return null;
  const server = own(at.policy.mcp.servers, mcp.server);
  const declared = own(own(at.policy.mcp.operands, mcp.server), mcp.name);
  if (declared === undefined)
    return server?.transport === 'stdio' && !facts.confined
      ? `\`${tool}\` has no declared operands and is not confined`
      : null;
  if (declared === 'none') return null;
  const given = facts.operands.flatMap((o) => ('given' in o ? [o.given] : []));
  const text = textOf(args, turn.around);
  const named =
    text === null ? [] : declared.flatMap(({ at: pointer }) => argumentsAt(text, pointer));
  const missed = named.find((value) => !given.includes(value));
  return missed === undefined ? null : `the operand \`${missed}\` was not judged`;
}
