/** A problem document of the daemon, as an error. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
  }
}

/** The signed-in session's CSRF value; every change carries it. Set by `getSession`. */
let csrf: string | null = null;

export interface Session {
  readonly principal: string;
  readonly person: string | null;
  readonly roles: readonly string[];
  readonly csrf: string;
}

const problemOf = async (response: Response): Promise<ApiProblem> => {
  const body = (await response.json().catch(() => ({}))) as {
    code?: string;
    detail?: string;
    title?: string;
  };
  return new ApiProblem(
    response.status,
    body.code ?? 'unknown',
    body.detail ?? body.title ?? `the daemon answered ${response.status}`,
  );
};

/** Reads JSON from the daemon.
 * @throws ApiProblem when it answers with a problem, or not at all */
export const getJson = async <T>(path: string, signal?: AbortSignal): Promise<T> => {
  const response = await fetch(path, { headers: { accept: 'application/json' }, signal: signal ?? null });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as T;
};

/** Changes something at the daemon.
 * @throws ApiProblem */
export const sendJson = async <T>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T | null> => {
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      'lockstep-surface': 'console',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(csrf === null ? {} : { 'lockstep-csrf': csrf }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!response.ok) throw await problemOf(response);
  return response.status === 204 ? null : ((await response.json()) as T);
};

/** Who is signed in; null when nobody is. */
export const getSession = async (): Promise<Session | null> => {
  try {
    const session = await getJson<Session>('/v1/session');
    csrf = session.csrf;
    return session;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) return null;
    throw error;
  }
};
