/** A problem document of the daemon, as an error. `fields` are the document's further members. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Readonly<Record<string, unknown>>;
  constructor(
    status: number,
    code: string,
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

export interface Session {
  readonly principal: string;
  readonly person: string | null;
  readonly roles: readonly string[];
  readonly csrf: string | null;
}

/** The signed-in session's CSRF value; every change carries it. Set by `getSession` and `signIn`. */
let csrf: string | null = null;
const signedOutListeners = new Set<() => void>();

/** Calls back when the daemon says that nobody is signed in. */
export const onSignedOut = (listener: () => void): (() => void) => {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
};

const problemOf = async (response: Response): Promise<ApiProblem> => {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const text = (key: string): string | null => {
    const value = body[key];
    return typeof value === 'string' ? value : null;
  };
  return new ApiProblem(
    response.status,
    text('code') ?? 'unknown',
    text('detail') ?? text('title') ?? `the daemon answered ${response.status}`,
    body,
  );
};

const asked = async (path: string, init: RequestInit): Promise<Response> => {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause;
    throw new ApiProblem(502, 'daemon_down', 'the console does not answer');
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.status === 401 && path !== '/v1/session')
    for (const listener of signedOutListeners) listener();
  throw problem;
};

/** Reads JSON from the daemon.
 * @throws ApiProblem when it answers with a problem, or not at all */
export const getJson = async <T>(path: string, signal?: AbortSignal): Promise<T> => {
  const response = await asked(path, {
    headers: { accept: 'application/json' },
    signal: signal ?? null,
  });
  return (await response.json()) as T;
};

/** Changes something at the daemon.
 * @throws ApiProblem */
export const sendJson = async <T>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<T | null> => {
  const response = await asked(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(csrf === null ? {} : { 'lockstep-csrf': csrf }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return response.status === 204 ? null : ((await response.json()) as T);
};

/** Who is signed in; null when nobody is.
 * @throws ApiProblem when the daemon does not answer */
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

/** Exchanges a link's code or a token for a session.
 * @throws ApiProblem when it is wrong, used or expired */
export const signIn = async (
  by: { readonly link: string } | { readonly token: string },
): Promise<void> => {
  const session = await sendJson<Session>('POST', '/v1/session', by);
  csrf = session?.csrf ?? null;
};

/** Ends the session.
 * @throws ApiProblem */
export const signOut = async (): Promise<void> => {
  await sendJson('DELETE', '/v1/session');
  csrf = null;
};

/** What went wrong, as one sentence for a person. */
export const messageOf = (error: unknown): string => {
  if (error instanceof ApiProblem && error.code === 'invalid_config')
    return `${error.message}${firstFault(error.fields['errors'])}`;
  return error instanceof Error ? error.message : 'something went wrong';
};

const firstFault = (errors: unknown): string => {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  if (typeof first !== 'object' || first === null || !('message' in first)) return '';
  const line = 'line' in first && typeof first.line === 'number' ? `line ${first.line}: ` : '';
  return `: ${line}${String(first.message)}`;
};
