import type { TurnFact } from '../../events/event.ts';
import { childTools } from '../../tools/builtin-specs.ts';
import type { OpenTurn } from '../state.ts';
import type { Judged } from './judge.ts';

/** Canonical id of the one tool that the engine performs itself, by asking a person. */
export const askUser = 'builtin:ask_user';

interface Start {
  readonly state: OpenTurn;
  readonly attempt: number;
  readonly binding: string;
  readonly tool: string;
}

/** The intent of a tool call, and with it the question where the call is one. */
export const startFacts = (judged: Judged, start: Start): readonly TurnFact[] => {
  const { prepared, data, now } = judged;
  const { spec } = prepared.call;
  if (spec === null) return [];
  const { state, tool } = start;
  const seconds =
    tool === askUser || childTools.has(tool) ? 'unlimited' : state.policy.budgets.tool_timeout_secs;
  const started: TurnFact = {
    type: 'ToolCallStarted',
    data: {
      call: data.call,
      attempt: start.attempt,
      tool,
      spec: spec.digest,
      argsDigest: data.argsDigest,
      binding: start.binding,
      operands: data.facts.operands,
      repeatable: spec.repeatable,
      idempotencyKey: `${state.turn}/${data.call}`,
      timeoutMs: seconds === 'unlimited' ? 'unlimited' : seconds * 1000,
      unsealed: [...prepared.unsealed],
      policy: state.policyDigest,
      now,
      ...(prepared.children === undefined ? {} : { children: [...prepared.children] }),
    },
  };
  return tool === askUser ? [started, question(judged, state)] : [started];
};

const question = ({ prepared, data, now }: Judged, state: OpenTurn): TurnFact => {
  const asked = readQuestion(prepared.call.args);
  const seconds = state.policy.approval.timeout_secs;
  return {
    type: 'QuestionAsked',
    data: {
      question: prepared.ids.question,
      call: data.call,
      text: { inline: asked.question },
      choices: asked.choices,
      deadline: seconds === 'unlimited' ? 'never' : now + seconds * 1000,
    },
  };
};

/** The gate has held the arguments to the tool's schema; what is still missing is read as empty. */
const readQuestion = (
  args: Judged['prepared']['call']['args'],
): { readonly question: string; readonly choices: string[] } => {
  const value: unknown = args.ok ? args.value : null;
  if (typeof value !== 'object' || value === null) return { question: '', choices: [] };
  const question: unknown = Reflect.get(value, 'question');
  const choices: unknown = Reflect.get(value, 'choices');
  return {
    question: typeof question === 'string' ? question : '',
    choices: Array.isArray(choices)
      ? choices.filter((one): one is string => typeof one === 'string')
      : [],
  };
};
