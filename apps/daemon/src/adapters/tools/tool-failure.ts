import type { ToolOutcome, Touched } from '@lockstep/engine';

type FailureKind = Extract<ToolOutcome, { ok: false }>['kind'];

/** The call could not be carried out; nothing of it is a result. */
export class ToolFailure extends Error {
  readonly code = 'tool_failure';
  readonly kind: FailureKind;
  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The tool itself says that it could not do it: a result that the model reads. */
export class ToolSays extends Error {
  readonly code = 'tool_says';
}

/** What a tool did, before masking. */
export interface ToolDone {
  readonly text: string;
  readonly isError?: boolean;
  /** Secrets that were masked already; absent = none. */
  readonly masked?: number;
}

/** The one place where foreign errors of built-in tools become outcomes. */
export const outcomeOf = async (
  work: () => Promise<ToolDone>,
  touched: readonly Touched[],
): Promise<ToolOutcome> => {
  try {
    const { text, isError, masked } = await work();
    return { ok: true, text, isError: isError ?? false, masked: masked ?? 0, touched };
  } catch (error) {
    if (error instanceof ToolSays)
      return { ok: true, text: error.message, isError: true, masked: 0, touched };
    if (error instanceof ToolFailure)
      return { ok: false, kind: error.kind, message: error.message, touched };
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, kind: 'io', message, touched };
  }
};
