import type { Button } from './channel.port.ts';
import type { Question } from './questions.ts';
import { headOf } from './split-text.ts';

/** A question as one message of a channel. */
export interface ShownQuestion {
  readonly text: string;
  readonly buttons: readonly Button[];
  /** It did not fit: it may be denied here, not granted. */
  readonly cut: boolean;
}

/** Room for the words around what is asked. */
const around = 500;

/** What stands in the conversation: whole, or marked as cut. */
export const showQuestion = (question: Question, limit: number): ShownQuestion => {
  const { code, text } = question;
  const room = limit - around;
  const cut = text.length > room;
  const body = cut
    ? `${headOf(text, room)}\n[cut: ${headOf(text, room).length} of ${text.length} characters are shown]`
    : text;
  return question.kind === 'approval'
    ? { ...approval(question, body, cut), cut }
    : {
        text: `${question.agent} asks:\n${body}\n${choicesOf(question)}Answer with: /answer ${code} <text>`,
        buttons: question.choices.slice(0, 5).map((choice, index) => ({
          label: headOf(choice, 40),
          command: `/choose ${code} ${index + 1}`,
        })),
        cut,
      };
};

const approval = (
  { agent, tool, code, why }: Question,
  body: string,
  cut: boolean,
): Omit<ShownQuestion, 'cut'> => {
  const deny = { label: 'Deny', command: `/deny ${code}` };
  const head = `${agent} asks to use ${tool ?? 'a tool'}:\n${body}\n${headOf(why ?? '', 200)}`;
  return cut
    ? {
        text: `${head}\nIt is too long to be approved here: decide it in the console, or /deny ${code}`,
        buttons: [deny],
      }
    : {
        text: `${head}\nDecide with: /approve ${code} or /deny ${code} <what to do instead>`,
        buttons: [{ label: 'Approve', command: `/approve ${code}` }, deny],
      };
};

const choicesOf = ({ choices }: Question): string =>
  headOf(choices.map((choice, index) => `${index + 1}. ${headOf(choice, 60)}\n`).join(''), 350);
