import type { LockstepEvent, NewMeta } from '@lockstep/engine';
import { aliasSchema, type PathName, type Principal, type Trigger } from '@lockstep/policy';
import type { DaemonIdentity } from '../tokens.ts';

/** What the events of one turn or message have in common. */
export const metaOf = (
  identity: DaemonIdentity,
  who: {
    readonly agent: string;
    readonly path: PathName;
    readonly trigger: Trigger;
    readonly principal: Principal;
    readonly session: string | null;
    readonly turn: string | null;
    readonly message: string | null;
  },
): NewMeta => ({
  // A name that no agent can have stands in the request alone.
  agent: aliasSchema.safeParse(who.agent).success ? who.agent : null,
  path: who.path,
  trigger: who.trigger,
  principal: who.principal,
  session: who.session,
  turn: who.turn,
  root: who.turn,
  parent: null,
  chain: [],
  correlation: who.message ?? who.turn ?? who.session ?? who.agent,
  causation: who.message,
  attempt: 1,
  daemon: identity.id,
  build: identity.build,
});

/** Meta for further events of a turn that an earlier run of the daemon began. */
export const metaAgain = (identity: DaemonIdentity, first: LockstepEvent): NewMeta => {
  const { agent, path, trigger, principal, session, turn, root, parent, chain } = first.meta;
  const { correlation, causation } = first.meta;
  return {
    agent,
    path,
    trigger,
    principal,
    session,
    turn,
    root,
    parent,
    chain,
    correlation,
    causation,
    attempt: 1,
    daemon: identity.id,
    build: identity.build,
  };
};

/** Meta of a turn that another one started: it hangs in that one's tree. */
export const metaBelow = (
  own: NewMeta,
  above: NewMeta,
  parent: { readonly turn: string; readonly call: string },
): NewMeta => ({
  ...own,
  root: above.root ?? parent.turn,
  parent: parent.turn,
  chain: [...above.chain, parent.turn],
  correlation: above.correlation,
  causation: `${parent.turn}/${parent.call}`,
});
