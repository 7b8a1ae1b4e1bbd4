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

export interface Decision {
  readonly busy: boolean;
  readonly problem: DecisionProblem | null;
  readonly send: (path: string, body: unknown) => Promise<void>;
}

/** Sends a decision or an answer, and says what became of it. */
export const useDecision = (): Decision => {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<DecisionProblem | null>(null);
  const send = async (path: string, body: unknown): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await sendJson('POST', path, body);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, send };
};

const problemOf = (error: unknown): DecisionProblem => {
  if (!(error instanceof ApiProblem)) return { message: messageOf(error), at: null };
  if (error.code !== 'already_decided') return { message: error.message, at: null };
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
