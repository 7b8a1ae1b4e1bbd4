import type {
  AppliedConfig,
  PathName,
  ResolveRecords,
  ResolveRequest,
  Trigger,
} from '@lockstep/policy';

/** The request of a recorded turn as another path's adapter would have made it, and what the log or the config say of its origin. */
export interface OtherStart {
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly request: ResolveRequest;
  readonly records: ResolveRecords;
  /** The message as that adapter hands it on; absent = as recorded. */
  readonly input?: string;
  /** `none` = that path begins in a session of its own: no earlier turn stands before the message. Absent = as recorded. */
  readonly history?: 'none';
  /** What was assumed to make the request; becomes notes of the report. */
  readonly notes?: readonly string[];
}

/** What is put in the place of what was recorded. Nothing at all = what this build makes of the turn as it was asked for. */
export interface CounterfactualAsk {
  /** The policy's config, for the whole turn: configs that came into force while it ran are left out. Version 0 = a draft. */
  readonly config?: AppliedConfig;
  readonly start?: OtherStart;
  /** `all` = the two timelines too; absent = verdicts only, and `steps` is empty. */
  readonly steps?: 'all';
}
