import { canonicalJson, digestOf, digestOfText } from '@lockstep/policy';
import { estimatePromptTokens } from '../budget/estimate-tokens.ts';
import { currentMessages, type ConversationTurn, type TextOf } from '../context/conversation.ts';
import { earlierTurns } from '../context/earlier.ts';
import { messageDigest, tokensOf } from '../context/message-size.ts';
import { withOwnMemory } from '../context/past-memory.ts';
import { recalledMessages } from '../context/recalled.ts';
import { nothingMade, systemParts, systemText, type Made } from '../context/system-text.ts';
import { trimContext, type Trim } from '../context/trim.ts';
import type { ModelInput } from '../ports/model.ts';
import { withheldBySkills } from '../tools/skill-tools.ts';
import type { PreparedModelCall } from './commands.ts';
import type { OpenTurn } from './state.ts';

/** The advertised list with the text and digest that stand for it in the log. Made once per list, not once per call. */
export interface ToolList {
  readonly ids: readonly string[];
  readonly tools: ModelInput['tools'];
  /** Canonical JSON of the list: the artifact. */
  readonly text: string;
  readonly digest: string;
  readonly tokens: number;
}

/** A model input with all that its intent records of it. */
export interface BuiltInput {
  readonly input: ModelInput;
  readonly prepared: PreparedModelCall;
  /** Texts that must be artifacts before the intent is recorded. */
  readonly cites: readonly string[];
}

/** The form in which tools are offered to a model. `specs` are the advertised ones, sorted by id. */
export const toolList = (specs: ModelInput['tools']): ToolList => {
  const tools = specs.map(({ id, alias, description, inputSchema }) => ({
    id,
    alias,
    description,
    inputSchema,
  }));
  const text = canonicalJson(tools);
  return {
    ids: specs.map((spec) => spec.id),
    tools,
    text,
    digest: digestOfText(text),
    tokens: estimatePromptTokens({ system: '', tools, messages: [] }),
  };
};

/** No tools: what the last call at the iteration cap is offered. */
export const noTools: ToolList = toolList([]);

/** The tools of a list that the skills in use leave. */
const narrowedTools = (list: ToolList, skills: OpenTurn['skills']): ToolList => {
  const kept = list.tools.filter(({ id }) => withheldBySkills(skills, id) === null);
  return kept.length === list.tools.length ? list : toolList(kept);
};

/** Builds what the model is sent next. Deterministic: the same recorded facts give the same bytes. `made`: what the system text is
 * made of when this is the first model call; later ones keep what the first had. */
export const prepareModelInput = (parts: {
  readonly state: OpenTurn;
  readonly history: readonly ConversationTurn[];
  readonly tools: ToolList;
  readonly textOf: TextOf;
  readonly made?: Made;
}): BuiltInput => {
  const { state, history, textOf } = parts;
  const tools = narrowedTools(parts.tools, state.skills);
  const made = state.made ?? parts.made ?? nothingMade;
  const system = systemOf(state.policy, made, textOf);
  const context = trimContext({
    earlier: [...withOwnMemory(history, state), ...earlierTurns(state, textOf)],
    current: [...recalledMessages(state, textOf), ...currentMessages(state, textOf)],
    fixedTokens: system.tokens + tools.tokens,
    limits: state.policy.context,
  });
  const messages = [...context.history, ...context.current];
  const input: ModelInput = { system: system.text, tools: tools.tools, messages };
  return {
    input,
    cites: [system.text, tools.text],
    prepared: {
      system: system.digest,
      tools: tools.digest,
      advertised: tools.ids,
      input: digestOf({
        system: system.digest,
        tools: tools.digest,
        messages: messages.map(messageDigest),
      }),
      messages: messages.length,
      historyMessages: context.history.length,
      promptTokens: system.tokens + tools.tokens + tokensOf(messages),
      trims: system.trim === null ? context.trims : [system.trim, ...context.trims],
      ...(isEmpty(made) ? {} : { made }),
    },
  };
};

/** Digest of a model input as ModelCallStarted holds it: over the digests of its system text, its tools and each message, so that a
 * long conversation is not hashed again at every call. */
export const inputDigest = (input: ModelInput): string =>
  digestOf({
    system: digestOfText(input.system),
    tools: digestOfText(canonicalJson(input.tools)),
    messages: input.messages.map(messageDigest),
  });

const isEmpty = ({ identity, skills }: Made): boolean => identity.length + skills.length === 0;

interface SystemPart {
  readonly text: string;
  readonly digest: string;
  readonly tokens: number;
  readonly trim: Trim | null;
}

// Many turns have the same policy and the same files.
const systems = new WeakMap<
  OpenTurn['policy'],
  { readonly key: string; readonly part: SystemPart }
>();

const systemOf = (policy: OpenTurn['policy'], made: Made, textOf: TextOf): SystemPart => {
  const key = isEmpty(made) ? '' : canonicalJson(made);
  const known = systems.get(policy);
  if (known?.key === key) return known.part;
  const part = systemPart(policy, made, textOf);
  systems.set(policy, { key, part });
  return part;
};

const systemPart = (policy: OpenTurn['policy'], made: Made, textOf: TextOf): SystemPart => {
  const parts = systemParts(made, (digest) => textOf({ artifact: digest, bytes: 0 }));
  const cut = systemText(policy, parts);
  return {
    text: cut.text,
    digest: digestOfText(cut.text),
    tokens: estimatePromptTokens({ system: cut.text, tools: [], messages: [] }),
    trim: cut.truncated
      ? {
          limit: 'context.max_system_prompt_chars',
          keptMessages: 0,
          droppedMessages: 0,
          droppedTurns: [],
          cutToolResults: [],
        }
      : null,
  };
};
