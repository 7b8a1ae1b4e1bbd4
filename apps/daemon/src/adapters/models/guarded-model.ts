import type { ModelOutcome, ModelPort } from '@lockstep/engine';

/** Ends a call at its deadline or at the caller's wish, whatever the model below does with the signal. */
export const guarded = (port: ModelPort, timeoutMs: number): ModelPort => ({
  call: async (started, options) => {
    const controller = new AbortController();
    let onAbort = (): void => undefined;
    const ended = new Promise<ModelOutcome>((resolve) => {
      onAbort = () => {
        resolve(ending('cancelled', 'the call was cancelled'));
        controller.abort();
      };
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<ModelOutcome>((resolve) => {
      timer = setTimeout(() => {
        resolve(ending('timeout', `the model did not answer within ${timeoutMs} ms`));
        controller.abort();
      }, timeoutMs);
    });
    if (options.signal.aborted) onAbort();
    options.signal.addEventListener('abort', onAbort);
    let open = true;
    const onDelta = options.onDelta;
    try {
      return await Promise.race([
        ended,
        late,
        port.call(started, {
          signal: controller.signal,
          onDelta:
            onDelta === null
              ? null
              : (text) => {
                  if (open) onDelta(text);
                },
        }),
      ]);
    } finally {
      open = false;
      clearTimeout(timer);
      options.signal.removeEventListener('abort', onAbort);
    }
  },
});

const ending = (kind: 'cancelled' | 'timeout', message: string): ModelOutcome => ({
  ok: false,
  kind,
  status: null,
  message,
  retryable: kind === 'timeout',
  retryAfterMs: null,
});
