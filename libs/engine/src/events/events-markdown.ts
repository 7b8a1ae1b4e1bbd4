import { z } from 'zod';
import { payloadsByFamily } from './event.ts';

const intro: Readonly<Record<keyof typeof payloadsByFamily, string>> = {
  session: 'What people said to an agent. Stream `session-…`.',
  turn: 'One turn from its request to its end. Stream `turn-…`.',
  config: 'Which config was in force when. Stream `config`.',
  agent: 'Standing facts of an agent. Stream `agent-…`.',
  memory: 'What an agent remembers: rows are a projection of these. Stream `memory-…`.',
  sop: 'One run of a standing procedure. Stream `sop-…`.',
  job: 'The times of a job, and those that a tool made. Stream `job-…`.',
  artifact: 'Large content, cited by digest. Stream `artifact-…`.',
  access: 'Who may speak to the daemon, and who was turned away. Stream `access`.',
  daemon: 'The daemon itself. Stream `daemon`.',
  probe:
    'One run of probes: events of its throwaway log, kept inside events of their own. Stream `probe-…`.',
};

/** The page `docs/events.md`: every event type with the fields of its payload, by stream family. */
export const eventsMarkdown = (): string =>
  [
    '# Events',
    '',
    'Every event type, made from the schemas in `libs/engine/src/events`: change them there, then run `npm run docs` to write this',
    'page again. Payloads are strict: a record with another field is refused where it is read. `?` marks a field that may be absent;',
    'one that may be null is always there. Some types are read but not yet written by this build.',
    ...Object.entries(payloadsByFamily).flatMap(([family, payloads]) => [
      '',
      `## ${family}`,
      '',
      intro[family as keyof typeof intro],
      '',
      '| event | fields |',
      '| --- | --- |',
      ...Object.entries<z.ZodType>(payloads).map(
        ([type, schema]) => `| \`${type}\` | ${fieldsOf(schema).join(', ')} |`,
      ),
    ]),
    '',
  ].join('\n');

const fieldsOf = (schema: z.ZodType): readonly string[] => {
  if (!(schema instanceof z.ZodObject)) return ['see the schema'];
  const shape = schema.shape as Readonly<Record<string, z.ZodType>>;
  const fields = Object.entries(shape).map(
    ([name, field]) => `\`${name}\`${field instanceof z.ZodOptional ? '?' : ''}`,
  );
  return fields.length === 0 ? ['none'] : fields;
};
