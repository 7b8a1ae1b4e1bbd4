import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { checkConfigFile } from '../config/check-config-file.ts';
import { probeSandbox } from '../adapters/sandbox/bubblewrap.ts';
import { ApiClient, readLocal } from './client.ts';
import type { CliSettings } from './settings.ts';

/** One thing that was looked at. */
export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly says: string;
}

/** Looks at this machine, the config and the data folder. Changes nothing. */
export const examine = async (settings: CliSettings): Promise<Finding[]> => [
  node(),
  await sandbox(),
  links(),
  dataFolder(settings.data),
  disk(settings.data),
  await config(settings),
  daemon(settings.data),
  ...(await channels(settings.data)),
];

const node = (): Finding => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  return {
    what: 'node',
    state: fits ? 'ok' : 'problem',
    says: fits
      ? process.versions.node
      : `${process.versions.node} is too old, 20.19 or newer is needed`,
  };
};

const sandbox = async (): Promise<Finding> => {
  const probe = await probeSandbox();
  return probe.ok
    ? { what: 'sandbox', state: 'ok', says: 'bubblewrap works' }
    : {
        what: 'sandbox',
        state: 'warning',
        says: `what must run in the sandbox (commands, scripts of skills, servers) is refused: ${probe.reason}`,
      };
};

const links = (): Finding =>
  existsSync('/proc/self/fd')
    ? { what: 'late swaps', state: 'ok', says: 'opened files are compared by descriptor' }
    : {
        what: 'late swaps',
        state: 'warning',
        says: 'this system has no /proc/self/fd: a path swapped between check and opening is found only after opening',
      };

const dataFolder = (data: string): Finding => {
  const folder = existsSync(data) ? data : dirname(data);
  try {
    accessSync(folder, constants.W_OK);
    return { what: 'data folder', state: 'ok', says: data };
  } catch {
    return { what: 'data folder', state: 'problem', says: `\`${folder}\` cannot be written` };
  }
};

const disk = (data: string): Finding => {
  const folder = existsSync(data) ? data : dirname(data);
  try {
    const { bavail, blocks } = statfsSync(folder);
    const used = Math.round((1 - bavail / Math.max(1, blocks)) * 100);
    return {
      what: 'disk',
      state: used >= 90 ? 'warning' : 'ok',
      says: used >= 90 ? `${used} % full: make room` : `${used} % full`,
    };
  } catch {
    return { what: 'disk', state: 'problem', says: `\`${folder}\` is not there` };
  }
};

const config = async (settings: CliSettings): Promise<Finding> => {
  const what = 'config';
  let text: string;
  try {
    text = await readFile(settings.config, 'utf8');
  } catch {
    return { what, state: 'problem', says: `cannot read \`${settings.config}\`` };
  }
  const checked = await checkConfigFile({ file: settings.config, data: settings.data, text });
  if (!checked.ok)
    return {
      what,
      state: 'problem',
      says: `${checked.problems.length} problems, see them with \`lockstep config check\``,
    };
  const [first] = checked.warnings;
  return first === undefined
    ? { what, state: 'ok', says: settings.config }
    : { what, state: 'warning', says: `${first.path}: ${first.message}` };
};

const channelList = z.object({
  items: z.array(
    z.object({
      binding: z.string(),
      owner: z.string().nullable(),
      state: z.string(),
      error: z.string().nullable(),
    }),
  ),
});

/** The channels of the daemon that runs; one that does not run is a problem of its own, whatever the rest does. */
const channels = async (data: string): Promise<Finding[]> => {
  const local = readLocal(data);
  if (local === null) return [];
  let answer: unknown;
  try {
    answer = await new ApiClient(local).get('/v1/channels');
  } catch (thrown) {
    const says = thrown instanceof Error ? thrown.message : String(thrown);
    return [{ what: 'channels', state: 'warning', says: `they could not be asked for: ${says}` }];
  }
  const read = channelList.safeParse(answer);
  if (!read.success) return [];
  return read.data.items.map(({ binding, owner, state, error }) => ({
    what: binding,
    state: state === 'running' ? (owner === null ? 'warning' : 'ok') : 'problem',
    says: [
      owner === null ? 'leads to no agent' : `leads to ${owner}`,
      ...(state === 'running' ? [] : [state]),
      ...(error === null ? [] : [error]),
    ].join(', '),
  }));
};

const daemon = (data: string): Finding => {
  const local = readLocal(data);
  return {
    what: 'daemon',
    state: 'ok',
    says: local === null ? 'not running on this data folder' : `running at ${local.url}`,
  };
};
