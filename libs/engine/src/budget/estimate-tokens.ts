import type { ModelInput, ModelMessage } from '../ports/model.ts';

/** Estimate of the tokens of a text: UTF-8 bytes divided by four, rounded up. The same for every provider and machine, so that a
 * recorded reservation can be derived again; the usage that a provider reports settles it. */
export const estimateTokens = (text: string): number => Math.ceil(utf8Bytes(text) / 4);

/** Estimate of a whole model input: its texts, tool descriptions and schemas, and four tokens a message for what frames it. */
export const estimatePromptTokens = (input: ModelInput): number =>
  estimateTokens(input.system) +
  input.tools.reduce((sum, tool) => sum + toolTokens(tool), 0) +
  input.messages.reduce((sum, message) => sum + framing + messageTokens(message), 0);

const framing = 4;

const toolTokens = (tool: ModelInput['tools'][number]): number =>
  estimateTokens(`${tool.alias}${tool.description}${JSON.stringify(tool.inputSchema)}`);

const messageTokens = (message: ModelMessage): number => {
  switch (message.role) {
    case 'user':
    case 'tool':
      return estimateTokens(message.text);
    case 'assistant':
      return message.calls.reduce(
        (sum, call) => sum + estimateTokens(call.alias + call.args),
        estimateTokens(message.text),
      );
  }
};

/** Length in UTF-8; a surrogate without its pair counts as the three bytes of its replacement. */
const utf8Bytes = (text: string): number => {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isPair(unit, text.charCodeAt(i + 1))) {
      bytes += 4;
      i += 1;
    } else bytes += 3;
  }
  return bytes;
};

const isPair = (first: number, second: number): boolean =>
  (first & 0xfc00) === 0xd800 && (second & 0xfc00) === 0xdc00;
