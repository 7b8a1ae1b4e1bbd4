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

/** The command in a text; null = it is for the agent, a command without what it needs included. */
export const parseCommand = (text: string): ChatCommand | null => {
  const [, name = '', rest = ''] = form.exec(text.trim()) ?? [];
  const [, code = '', said = ''] = /^(\S+)(?:\s+([\s\S]*))?$/.exec(rest.trim()) ?? [];
  const given = code.toUpperCase();
  switch (name.toLowerCase()) {
    case 'stop':
    case 'status':
      return rest.trim() === ''
        ? { kind: name.toLowerCase() === 'stop' ? 'stop' : 'status' }
        : null;
    case 'approve':
      return given === '' ? null : { kind: 'approve', code: given };
    case 'deny':
      return given === ''
        ? null
        : { kind: 'deny', code: given, guidance: said === '' ? null : said };
    case 'answer':
      return said === '' ? null : { kind: 'answer', code: given, text: said };
    case 'choose':
      return /^[1-9]\d?$/.test(said) ? { kind: 'choose', code: given, choice: Number(said) } : null;
    default:
      return null;
  }
};
