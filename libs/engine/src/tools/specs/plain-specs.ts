import type { AccessMode } from '@lockstep/policy';
import type { ToolSpec } from '../../events/parts.ts';
import { builtin, count, text } from './builtin.ts';

const path = (access: AccessMode): ToolSpec['operands'] => [{ kind: 'path', at: '/path', access }];

const pathText = text('Path of the file, from the workspace root or absolute.', {
  minLength: 1,
  maxLength: 4096,
});
const folderText = text('Path of the folder, from the workspace root or absolute.', {
  minLength: 1,
  maxLength: 4096,
});

/** Files, the network, the clock, and questions to a person. */
export const plainSpecs: readonly ToolSpec[] = [
  builtin('ask_user', 'Asks the person a question and waits for the answer.', {
    properties: {
      question: text('The question.', { minLength: 1, maxLength: 4000 }),
      choices: {
        type: 'array',
        description: 'Answers to choose from. Without them any text is an answer.',
        items: { type: 'string', minLength: 1, maxLength: 200 },
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
      },
    },
    required: ['question'],
    effects: [],
    operands: 'none',
    repeatable: false,
  }),
  builtin(
    'file_edit',
    'Replaces one passage of a text file. The old text must occur exactly once.',
    {
      properties: {
        path: pathText,
        old_text: text('The passage to replace, exactly as it stands in the file.', {
          minLength: 1,
        }),
        new_text: text('What to put in its place.'),
      },
      required: ['path', 'old_text', 'new_text'],
      effects: ['write'],
      operands: path('read_write'),
      repeatable: false,
    },
  ),
  builtin('file_list', 'Lists the entries of a folder.', {
    properties: {
      path: folderText,
      recursive: { type: 'boolean', description: 'Also list what is in folders below.' },
    },
    required: ['path'],
    effects: ['read'],
    operands: path('read'),
    repeatable: true,
  }),
  builtin('file_read', 'Reads a text file.', {
    properties: {
      path: pathText,
      offset: count('First line to read, counted from 1.', 1_000_000_000),
      limit: count('At most so many lines.', 1_000_000),
    },
    required: ['path'],
    effects: ['read'],
    operands: path('read'),
    repeatable: true,
  }),
  builtin('file_search', 'Finds the lines of files that contain a text. Case counts.', {
    properties: {
      pattern: text('The text to look for, taken literally.', { minLength: 1, maxLength: 1000 }),
      path: text('File or folder to search. Without it the whole workspace.', {
        minLength: 1,
        maxLength: 4096,
      }),
    },
    required: ['pattern'],
    effects: ['read'],
    operands: path('read'),
    repeatable: true,
  }),
  builtin('file_write', 'Writes a text file. What was in it is replaced.', {
    properties: { path: pathText, content: text('The whole new content.') },
    required: ['path', 'content'],
    effects: ['write'],
    operands: path('write'),
    repeatable: false,
  }),
  builtin('http_fetch', 'Sends one HTTP request. A redirect is returned, not followed.', {
    properties: {
      url: text('Absolute address with http or https.', { minLength: 1, maxLength: 8192 }),
      method: {
        type: 'string',
        enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        description: 'GET unless written.',
      },
      headers: {
        type: 'object',
        description: 'Header names and values.',
        additionalProperties: { type: 'string' },
        maxProperties: 50,
      },
      body: text('Body of the request.'),
    },
    required: ['url'],
    effects: ['write', 'network'],
    operands: [{ kind: 'url', at: '/url' }],
    repeatable: false,
  }),
  builtin('time_now', 'Tells the date and the time.', {
    properties: {
      timezone: text('IANA name of a time zone, such as Europe/Berlin. UTC unless written.', {
        minLength: 1,
        maxLength: 64,
      }),
    },
    required: [],
    effects: ['read'],
    operands: 'none',
    repeatable: true,
  }),
];
