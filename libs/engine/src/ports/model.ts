import type { StartedModelCall } from '../turn/started.ts';
import type { AskedCall, ToolSpec, Usage } from '../events/parts.ts';

/** Our own neutral form of what a model is sent: the digest of its canonical JSON stands in ModelCallStarted. */
export interface ModelInput {
  readonly system: string;
  readonly tools: readonly Pick<ToolSpec, 'id' | 'alias' | 'description' | 'inputSchema'>[];
  readonly messages: readonly ModelMessage[];
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly {
        readonly call: string;
        readonly alias: string;
        readonly args: string;
      }[];
    }
  | {
      readonly role: 'tool';
      readonly call: string;
      readonly alias: string;
      /** Untrusted text, fenced. */
      readonly text: string;
      readonly isError: boolean;
    };

export type ModelOutcome =
  | {
      readonly ok: true;
      readonly text: string;
      readonly calls: readonly (Omit<AskedCall, 'args'> & { readonly args: string })[];
      readonly finish: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other';
      readonly usage: Usage | null;
    }
  | {
      readonly ok: false;
      readonly kind:
        | 'rate_limited'
        | 'unavailable'
        | 'rejected'
        | 'unauthorized'
        | 'timeout'
        | 'cut'
        | 'malformed'
        | 'cancelled';
      readonly status: number | null;
      readonly message: string;
      readonly retryable: boolean;
      /** The provider's own word on when to come back, ms from now. */
      readonly retryAfterMs: number | null;
    };

/** One call, one request, no retry of its own. Takes only a call whose intent is in the log. */
export interface ModelPort {
  call(
    started: StartedModelCall,
    options: {
      readonly signal: AbortSignalLike;
      readonly onDelta: ((text: string) => void) | null;
    },
  ): Promise<ModelOutcome>;
}

/** The part of the platform's AbortSignal that ports need. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
