import type { AppliedConfig } from '@lockstep/policy';

/** The config in force. */
export interface CurrentConfig {
  current(): AppliedConfig;
  /** An older applied version, parsed again from the log; null if there was none. */
  version(version: number): AppliedConfig | null;
  /** Called after a newer config came into force. Answers the way to stop. */
  onApplied(listener: (applied: AppliedConfig) => void): () => void;
}

/** Injection token of the one `CurrentConfig`. */
export const CURRENT_CONFIG = Symbol('CURRENT_CONFIG');
