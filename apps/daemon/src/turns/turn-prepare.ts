import {
  callsOf,
  matchGrants,
  prepareModelInput,
  readCall,
  textFrom,
  whyWithheld,
  unsealedIn,
  type BuiltInput,
  type ConversationTurn,
  type Facts,
  type GateCall,
  type Made,
  type OpenTurn,
  type OperandFacts,
  type PreparedCall,
  type ToolScope,
} from '@lockstep/engine';
import type { Principal } from '@lockstep/policy';
import type { Catalog } from './tool-catalog.ts';
import type { Texts } from './turn-contents.ts';
import { skillNarrowings } from './skill-narrowings.ts';
import type { TurnParts } from './turn-parts.ts';

/** Who a grant is for and whose calls it covers: the person of `[people]`, else the identity itself. */
export const granteeOf = (principal: Principal): string =>
  principal.person ?? `${principal.kind}:${principal.id}`;

/** Whom the tools of a turn work for. */
export const scopeOf = (state: OpenTurn): ToolScope => ({
  agent: state.policy.agent,
  principal: state.request.principal,
  session: state.request.session,
  turn: state.turn,
  policy: state.policy,
  policyDigest: state.policyDigest,
  narrowings: [...state.narrowings, ...skillNarrowings(state)],
});

/** What the model is sent next, and the texts that it cites. */
export const prepareModelCall = (
  state: OpenTurn,
  parts: {
    readonly catalog: Catalog;
    readonly final: boolean;
    readonly history: readonly ConversationTurn[];
    readonly texts: Texts;
    readonly made: Made;
  },
): BuiltInput =>
  prepareModelInput({
    state,
    history: parts.history,
    tools: parts.final ? parts.catalog.none : parts.catalog.offered,
    textOf: textFrom(parts.texts),
    made: parts.made,
  });

/** Gathers what the verdicts over these calls read outside the stream. Looks; never judges. */
export const prepareCalls = (
  state: OpenTurn,
  ids: readonly string[],
  around: { readonly parts: TurnParts; readonly catalog: Catalog; readonly texts: Texts },
): Promise<readonly PreparedCall[]> => {
  const textOf = textFrom(around.texts);
  return Promise.all(
    callsOf(state)
      .filter((call) => ids.includes(call.call))
      .map((call) => {
        const spec = around.catalog.find(call.alias);
        return prepareCall(state, readCall(call, textOf(call.args), spec), around);
      }),
  );
};

/** Whether looking at the calls may take long (names are resolved), so that what is decided should be recorded first. */
export const looksFar = (state: OpenTurn, ids: readonly string[], catalog: Catalog): boolean =>
  callsOf(state).some((call) => {
    if (!ids.includes(call.call)) return false;
    const operands = catalog.find(call.alias)?.operands;
    return Array.isArray(operands) && operands.some((operand) => operand.kind === 'url');
  });

/** Gathers what the verdict over one call reads outside the stream. */
export const prepareCall = async (
  state: OpenTurn,
  call: GateCall,
  { parts }: { readonly parts: TurnParts },
): Promise<PreparedCall> => {
  const { spec, args } = call;
  // Nobody looks for a tool that the policy keeps away: a look reads files and asks name servers.
  const looked =
    spec !== null && args.ok && whyWithheld(state.policy, spec) === null
      ? await inspect(parts, scopeOf(state), { spec, args: args.value, call: call.call })
      : blind;
  return {
    call,
    facts: factsOf(state, call, { parts, looked }),
    ids: { approval: parts.ids.next(), question: parts.ids.next() },
    before: looked.before ?? null,
    unsealed: unsealedIn(state, call),
    ...askerOf(state, parts),
    ...(looked.children === undefined ? {} : { children: looked.children }),
  };
};

/** Who asked for the tree of turns that this one is in. */
const askerOf = ({ turn }: OpenTurn, { ledger }: TurnParts): Pick<PreparedCall, 'asker'> => {
  const asker = ledger.spending(turn)?.asker;
  return asker === undefined ? {} : { asker };
};

const blind: OperandFacts = { operands: [], roots: null, confined: false };

/** Whether a stop, of a turn above too, or a pause holds. */
export const flagsOf = (
  { turn, policy }: OpenTurn,
  { ledger }: Pick<TurnParts, 'ledger'>,
): Pick<Facts, 'stopped' | 'paused'> => {
  const { stopped, paused } = ledger.flagsOf(turn, policy.agent);
  return { stopped: stopped !== null, paused };
};

/** A look that fails, or takes longer than a tool may, shows nothing, and the gate refuses what nobody looked at. */
const inspect = async (
  parts: TurnParts,
  scope: ToolScope,
  {
    spec,
    args,
    call,
  }: {
    readonly spec: NonNullable<GateCall['spec']>;
    readonly args: unknown;
    readonly call: string;
  },
): Promise<OperandFacts> => {
  const { tool_timeout_secs: most } = scope.policy.budgets;
  let stop = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    if (most === 'unlimited') return;
    stop = parts.alarms.at(parts.clock.now() + most * 1000, () => {
      reject(new Error(`nobody could look at call \`${call}\` within ${most} s`));
    });
  });
  try {
    return await Promise.race([parts.tools.inspect(scope, spec, args, call), late]);
  } catch (error) {
    parts.report({ turn: scope.turn, error });
    return blind;
  } finally {
    stop();
  }
};

const factsOf = (
  state: OpenTurn,
  call: GateCall,
  { parts, looked }: { readonly parts: TurnParts; readonly looked: OperandFacts },
): Omit<Facts, 'caps'> => {
  const { agent } = state.policy;
  const { session, principal } = state.request;
  const { version, digest } = parts.config.current();
  const now = parts.clock.now();
  const { spec, argsDigest } = call;
  return {
    now,
    config: { version, digest },
    policy: state.policyDigest,
    ...flagsOf(state, parts),
    spec: spec?.digest ?? null,
    confined: looked.confined,
    operands: [...looked.operands],
    roots: looked.roots,
    grants:
      spec === null
        ? []
        : matchGrants(parts.ledger.grants(agent), {
            agent,
            tool: spec.id,
            spec: spec.digest,
            person: granteeOf(principal),
            session,
            argsDigest,
            args: call.args.ok ? call.args.value : null,
            operands: looked.operands,
            root: looked.roots?.root ?? null,
            now,
          }),
    unsettled: spec === null ? null : parts.ledger.unsettled(session, spec.id, argsDigest),
  };
};
