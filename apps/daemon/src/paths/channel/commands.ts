/** What can be said to a conversation beside messages for the agent. */
export type ChatCommand =
  | { readonly kind: 'stop' }
  | { readonly kind: 'status' }
  | { readonly kind: 'approve'; readonly code: string }
  | { readonly kind: 'deny'; readonly code: string; readonly guidance: string | null }
  | { readonly kind: 'answer'; readonly code: string; readonly text: string }
  /** A button of a question: its n-th choice, from 1. */
  | { readonly kind: 'choose'; readonly code: string; readonly choice: number };

/** A platform may take `/` for itself, so `!` says the same; it may add its bot's name. */
const form = /^[/!](stop|status|approve|deny|answer|choose)(?:@\S+)?(?:\s+([\s\S]*))?$/i;

type Name = ChatCommand['kind'];

/** What each name makes of the code behind it, and of what follows; null = something is missing. */
const readers: Readonly<Record<Name, (code: string, said: string) => ChatCommand | null>> = {
  stop: (code) => (code === '' ? { kind: 'stop' } : null),
  status: (code) => (code === '' ? { kind: 'status' } : null),
  approve: (code) => (code === '' ? null : { kind: 'approve', code }),
  deny: (code, said) =>
    code === '' ? null : { kind: 'deny', code, guidance: said === '' ? null : said },
  answer: (code, said) => (said === '' ? null : { kind: 'answer', code, text: said }),
  choose: (code, said) =>
    /^[1-9]\d?$/.test(said) ? { kind: 'choose', code, choice: Number(said) } : null,
};

/** The command in a text; null = it is for the agent, a command without what it needs included. */
export const parseCommand = (text: string): ChatCommand | null => {
  const [, name, rest = ''] = form.exec(text.trim()) ?? [];
  if (name === undefined) return null;
  const [, code = '', said = ''] = /^(\S+)(?:\s+([\s\S]*))?$/.exec(rest.trim()) ?? [];
  return readers[name.toLowerCase() as Name](code.toUpperCase(), said);
};
