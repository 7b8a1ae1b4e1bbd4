import { fenceUntrusted } from '../../context/fence.ts';
import { childVoice } from '../child-voice.ts';
import type { CommandOf } from '../commands.ts';
import { nothing, record, type Decision } from '../decision.ts';
import type { OpenTurn } from '../state.ts';

/** A turn below this one has begun: linked once. */
export const linkChild = ({ child }: CommandOf<'LinkChild'>, state: OpenTurn): Decision => {
  if (state.children.some(({ turn }) => turn === child.turn)) return nothing;
  const { call, turn, agent, background } = child;
  return record([
    {
      type: 'ChildTurnLinked',
      data: { call, child: turn, agent, ...(background ? { background } : {}) },
    },
  ]);
};

/** What a turn in the background leaves comes as a message, once. Its text is another agent's: untrusted. */
export const reportChild = (
  { child, text }: CommandOf<'ReportChild'>,
  state: OpenTurn,
): Decision => {
  const known = state.children.find(({ turn }) => turn === child);
  if (known?.background !== true || known.told) return nothing;
  const said = `Your call \`${known.call}\` to agent \`${known.agent}\` has come to its end.\n${fenceUntrusted(text, `agent:${known.agent}`)}`;
  return record([{ type: 'TurnSteered', data: { text: { inline: said }, by: childVoice(child) } }]);
};
