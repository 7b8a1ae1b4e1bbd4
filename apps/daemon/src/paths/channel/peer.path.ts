import { fenceUntrusted } from '@lockstep/engine';
import type { TurnRequest } from '../../turns/turns.port.ts';
import { childRequest, sameAgain, starterOf, type ChildWire } from '../delegate/child-wire.ts';

/** A call of `message_peer` as it is carried out. */
export interface PeerWire extends ChildWire<{
  readonly agent: string;
  readonly channel: string;
  readonly text: string;
}> {
  /** A group of the channel that both are in. */
  readonly group: string;
}

/** The request behind a message: a turn of its receiver, to whom the text is somebody else's. */
export const parsePeer = (wire: PeerWire): TurnRequest => {
  const { agent, channel, text } = wire.args;
  const origin = { kind: 'peer', parent: wire.from.turn, group: wire.group, channel } as const;
  const input = `${headOf(wire.from.agent, channel)}${fenceUntrusted(text, voiceOf(wire.from.agent))}`;
  return childRequest(wire, { agent, origin, input, spawn: {} });
};

/** The wire form of a message to a peer; parsing it again gives the same request. */
export const encodePeer = (request: TurnRequest): PeerWire | null => {
  const { origin, agent, input } = request;
  const started = starterOf(request, 'peer');
  if (origin.kind !== 'peer' || started === null) return null;
  const { group, channel } = origin;
  const fenced = input.slice(headOf(started.from.agent, channel).length);
  // Between the first line and the last stands what was written.
  const text = fenced.slice(fenced.indexOf('\n') + 1, Math.max(0, fenced.lastIndexOf('\n')));
  return sameAgain({ ...started, group, args: { agent, channel, text } }, parsePeer, request);
};

const headOf = (from: string, channel: string): string =>
  `Agent \`${from}\` writes to you on channel \`${channel}\`.\n`;

const voiceOf = (from: string): string => `agent:${from}`;
