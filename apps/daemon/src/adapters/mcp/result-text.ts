import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

const mostCharacters = 2_000_000;

/** A result as text: text parts joined, everything else named. */
export const resultText = (result: CallToolResult): string => {
  const parts = result.content.map(partText);
  if (parts.length === 0 && result.structuredContent !== undefined)
    parts.push(JSON.stringify(result.structuredContent));
  const text = parts.join('\n').toWellFormed();
  return text.length <= mostCharacters
    ? text
    : `${text.slice(0, mostCharacters).toWellFormed()}\n[cut after ${mostCharacters} characters]`;
};

const partText = (part: CallToolResult['content'][number]): string => {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type} of type ${part.mimeType}, ${part.data.length} base64 characters, not shown]`;
    case 'resource_link':
      return `[link to ${part.uri}]`;
    case 'resource':
      return 'text' in part.resource
        ? part.resource.text
        : `[resource ${part.resource.uri}, not shown]`;
  }
};
