/** Exact formats of well-known tokens. No entropy is guessed: what is none of these stays as it is. */
const formats = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]{0,20000}?-----END [A-Z0-9 ]*PRIVATE KEY-----/,
  /(?:AKIA|ASIA)[A-Z0-9]{16}/,
  /gh[pousr]_[A-Za-z0-9]{36,255}/,
  /github_pat_[A-Za-z0-9_]{22,255}/,
  /glpat-[A-Za-z0-9_-]{20,64}/,
  /xox[abeprs]-[A-Za-z0-9-]{10,250}/,
  /xapp-[0-9]-[A-Za-z0-9-]{10,250}/,
  /eyJ[A-Za-z0-9_-]{8,8000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,8000}/,
  /sk-(?:ant-|proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,250}/,
  /[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}/,
  /AIza[A-Za-z0-9_-]{35}/,
  /npm_[A-Za-z0-9]{36}/,
];

const word = 'A-Za-z0-9_';

/** One pattern for all formats; a token starts and ends where a word does. */
export const tokenPattern = (): RegExp =>
  new RegExp(formats.map((f) => `(?<![${word}])${f.source}(?![${word}])`).join('|'), 'g');

/** Characters that a token may hold: a text may be cut at any other one without cutting a token in two (keys in PEM apart). */
export const tokenCharacter = /[A-Za-z0-9_\-.]/;

export const pemStart = '-----BEGIN ';
export const pemEnd = /-----END [A-Z0-9 ]*PRIVATE KEY-----/;
