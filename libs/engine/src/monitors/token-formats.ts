/** Exact forms of credentials that must not stand in recorded text; no guessing by entropy. */
const formats: readonly (readonly [name: string, form: RegExp])[] = [
  ['AWS access key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['GitHub token', /\bgh[pousr]_[A-Za-z0-9]{36}\b/],
  ['Slack token', /\bxox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{16,}/],
  ['PEM private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[A-Za-z0-9+/=\s]{40,}/],
  ['JWT', /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}/],
];

/** The name of the first credential form found in a text, or null. */
export const tokenIn = (text: string): string | null =>
  formats.find(([, form]) => form.test(text))?.[0] ?? null;
