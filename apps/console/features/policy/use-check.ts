'use client';

import { useEffect, useState } from 'react';
import { messageOf, sendJson } from '../../lib/api.ts';
import type { CheckAnswer } from './editor/problems.logic.ts';

/** What the daemon said of a text, and of which. */
export interface Checked {
  readonly of: string;
  readonly answer: CheckAnswer | null;
  /** Why it said nothing. */
  readonly problem: string | null;
}

const settleMs = 500;

/** Has the daemon judge a text a moment after it was last changed; null = nothing is to be judged. The last answer stays until the next. */
export const useCheck = (text: string | null): Checked | null => {
  const [checked, setChecked] = useState<Checked | null>(null);
  useEffect(() => {
    if (text === null) return;
    let gone = false;
    const timer = setTimeout(() => {
      sendJson<CheckAnswer>('POST', '/v1/config/check', { text }).then(
        (answer) => {
          if (!gone) setChecked({ of: text, answer, problem: null });
        },
        (error: unknown) => {
          if (!gone) setChecked({ of: text, answer: null, problem: messageOf(error) });
        },
      );
    }, settleMs);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [text]);
  return checked;
};
