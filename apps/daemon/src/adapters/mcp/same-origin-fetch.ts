const mostHops = 3;

/** `fetch` that follows a redirect inside the server's own origin only: headers of config hold secrets, and another address is none
 * that config names. Any other redirect is handed back as the answer. */
export const sameOriginFetch = async (
  url: string | URL,
  init: RequestInit = {},
): Promise<Response> => {
  let at = new URL(url);
  for (let hop = 0; ; hop += 1) {
    const response = await fetch(at, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    const kept = response.status === 307 || response.status === 308;
    if (!kept || location === null || hop === mostHops || !URL.canParse(location, at.href))
      return response;
    const next = new URL(location, at);
    if (next.origin !== at.origin) return response;
    await response.body?.cancel();
    at = next;
  }
};
