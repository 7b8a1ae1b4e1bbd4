/** An address with those parameters that have a value. */
export const withQuery = (
  path: string,
  params: Readonly<Record<string, string | number | null | undefined>>,
): string => {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params))
    if (value !== null && value !== undefined && value !== '') query.set(key, String(value));
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
};
