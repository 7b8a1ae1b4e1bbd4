import type { Host } from '../request.ts';
import { documentOf, problemAt, type DocumentRead } from './document.ts';
import { readJson } from './read-json.ts';
import { readToml } from './read-toml.ts';
import { readYaml } from './read-yaml.ts';

/** Longest config text, in UTF-16 units: no parser needs much more than a second for one that was made to be slow. */
const maxLength = { toml: 131_072, json: 131_072, yaml: 65_536 } as const;

export const configFormats = ['toml', 'yaml', 'json'] as const;
export type ConfigFormat = (typeof configFormats)[number];

/** Says what is wrong with the times of a job, at which of its keys; null when they come. */
export type ScheduleJudge = (
  schedule: string,
  timezone: string,
) => { readonly key: 'schedule' | 'timezone'; readonly message: string } | null;

export interface ConfigText {
  readonly text: string;
  readonly format: ConfigFormat;
  /** Its name, for messages only. */
  readonly file: string;
  /** Where its paths are anchored; without it only absolute and home paths are checked. */
  readonly host?: Host;
  /** Absent: schedules and time zones are taken as written. */
  readonly judgeSchedule?: ScheduleJudge;
}

/** A config text as plain values with their places, whatever the format. Never throws. */
export const readDocument = (source: ConfigText): DocumentRead => {
  // A byte order mark is no part of the text; columns count from after it.
  const text = source.text.startsWith('\uFEFF') ? source.text.slice(1) : source.text;
  const longest = maxLength[source.format];
  if (text.length > longest)
    return refused(
      problemAt('too_large', [], null, `the file is longer than ${longest} characters`),
    );
  if (!text.isWellFormed())
    return refused(problemAt('syntax', [], null, 'the file is no well-formed Unicode text'));
  const read = readers[source.format](text);
  return read.ok ? documentOf(read.root) : read;
};

const readers = { toml: readToml, yaml: readYaml, json: readJson } as const;

const refused = (problem: ReturnType<typeof problemAt>) =>
  ({ ok: false, problems: [problem] }) as const;
