import { realpath, stat } from 'node:fs/promises';
import { ProblemError } from '../../http/problem.ts';

/** The real path of a folder that a client names, so that no link leads out of where it is judged.
 * @throws ProblemError when there is no such folder */
export const realFolder = async (path: string): Promise<string> => {
  const real = await realpath(path).catch(() => null);
  if (real !== null && (await stat(real)).isDirectory()) return real;
  throw new ProblemError('invalid_body', `\`${path}\` is no folder here`, {
    errors: [{ path: 'cwd', message: 'must be a folder that is there' }],
  });
};
