'use client';

import { useState } from 'react';
import type { DecidedBy } from '@lockstep/engine';
import { ApiProblem, messageOf, sendJson } from '../../lib/api.ts';
import { deciderText } from './approvals.logic.ts';

export interface DecisionProblem {
  readonly message: string;
  /** When somebody else decided before. */
  readonly at: number | null;
}

interface Decided {
  readonly status: 'decided' | 'repeat' | 'voted';
  readonly votes?: { readonly given: number; readonly required: number };
}

export interface Decision {
  readonly busy: boolean;
  readonly problem: DecisionProblem | null;
  /** What became of it, where the request itself does not say so. */
  readonly note: string | null;
  /** True when it was taken. */
  readonly send: (path: string, body: unknown) => Promise<boolean>;
}

/** Sends a decision or an answer, and says what became of it. */
export const useDecision = (): Decision => {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<DecisionProblem | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const send = async (path: string, body: unknown): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setProblem(null);
    setNote(null);
    try {
      const decided = await sendJson<Decided>('POST', path, body);
      setNote(noteOf(decided));
      return true;
    } catch (error) {
      setProblem(problemOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, note, send };
};

const noteOf = (decided: Decided | null): string | null => {
  if (decided?.status === 'repeat') return 'You had said so before: nothing changed.';
  const votes = decided?.votes;
  return votes === undefined
    ? null
    : `Your yes counts: ${votes.given} of ${votes.required}. It runs once all are there.`;
};

const problemOf = (error: unknown): DecisionProblem => {
  if (!(error instanceof ApiProblem)) return { message: messageOf(error), at: null };
  if (error.code !== 'already_decided') {
    const { errors = [] } = error.fields as {
      readonly errors?: readonly { readonly path: string; readonly message: string }[];
    };
    const more = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
    return { message: more === '' ? error.message : `${error.message} (${more})`, at: null };
  }
  const { by, at, how } = error.fields as {
    readonly by?: DecidedBy | null;
    readonly at?: number;
    readonly how?: string;
  };
  return {
    message: `${deciderText(by ?? null)} decided before you: ${how ?? 'decided'}`,
    at: at ?? null,
  };
};
