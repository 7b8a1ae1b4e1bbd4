import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
} from '@ai-sdk/provider';
import type { ModelInput, ModelMessage } from '@lockstep/engine';

type Asked = Pick<LanguageModelV3CallOptions, 'prompt' | 'tools' | 'toolChoice'>;

/** Our neutral input in the form that provider packages take. */
export const sdkPrompt = (input: ModelInput): Asked => {
  const prompt: LanguageModelV3Message[] = [
    ...(input.system === '' ? [] : [{ role: 'system' as const, content: input.system }]),
    ...input.messages.map(sdkMessage),
  ];
  if (input.tools.length === 0) return { prompt };
  return { prompt, tools: input.tools.map(sdkTool), toolChoice: { type: 'auto' } };
};

const sdkTool = (tool: ModelInput['tools'][number]): LanguageModelV3FunctionTool => ({
  type: 'function',
  name: tool.alias,
  description: tool.description,
  inputSchema: objectOr(tool.inputSchema, { type: 'object' }),
});

const sdkMessage = (message: ModelMessage): LanguageModelV3Message => {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
          ...message.calls.map((c) => ({
            type: 'tool-call' as const,
            toolCallId: c.call,
            toolName: c.alias,
            input: parsedArgs(c.args),
          })),
        ],
      };
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.call,
            toolName: message.alias,
            output: { type: message.isError ? 'error-text' : 'text', value: message.text },
          },
        ],
      };
  }
};

/** Providers take objects only; broken arguments go back under a name that says so. */
const parsedArgs = (raw: string): unknown => {
  try {
    return objectOr(JSON.parse(raw), { unparsed: raw });
  } catch {
    return { unparsed: raw };
  }
};

const objectOr = (value: unknown, otherwise: object): object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : otherwise;
