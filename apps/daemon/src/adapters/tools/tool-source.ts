import type {
  OperandFacts,
  StartedToolCall,
  ToolOutcome,
  ToolScope,
  ToolSpec,
  Touched,
} from '@lockstep/engine';

/** One family of tools behind the composite port. It looks and runs; it never judges. */
export interface ToolSource {
  /** Whether a tool of this canonical id is run here. */
  owns(id: string): boolean;
  /** Tools beside the fixed built-in ones. Absent = it has none. */
  list?(scope: ToolScope): Promise<ListedTools>;
  inspect(scope: ToolScope, spec: ToolSpec, args: unknown, call: string): Promise<OperandFacts>;
  /** `args` are the call's arguments with secrets restored. */
  run(
    scope: ToolScope,
    started: StartedToolCall,
    args: Readonly<Record<string, unknown>>,
    running: Running,
  ): Promise<ToolOutcome>;
}

export interface ListedTools {
  readonly tools: readonly ToolSpec[];
  readonly problems: readonly { readonly server: string; readonly message: string }[];
}

export interface Running {
  readonly signal: AbortSignal;
  /** Grows as things are touched, so that it stands in the outcome even if the call does not come to its end. */
  readonly touched: Touched[];
}

/** Every family of tools. Parts of the daemon that bring tools add theirs when they are put together. */
export class ToolSources {
  readonly #sources: ToolSource[] = [];

  add(source: ToolSource): void {
    this.#sources.push(source);
  }

  of(id: string): ToolSource | null {
    return this.#sources.find((source) => source.owns(id)) ?? null;
  }

  async list(scope: ToolScope): Promise<ListedTools> {
    const lists = await Promise.all(this.#sources.map(async (source) => source.list?.(scope)));
    const known = lists.filter((list) => list !== undefined);
    return {
      tools: known.flatMap((list) => list.tools),
      problems: known.flatMap((list) => list.problems),
    };
  }
}
