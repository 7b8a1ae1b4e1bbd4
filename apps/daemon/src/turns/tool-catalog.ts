import {
  advertise,
  noTools,
  toolList,
  type ToolList,
  type ToolPort,
  type ToolScope,
  type ToolSpec,
} from '@lockstep/engine';

/** The tools that exist for a scope, and what its policy offers of them. */
export interface Catalog {
  readonly offered: ToolList;
  readonly none: ToolList;
  /** By the name that a model uses, or by canonical id. */
  find(name: string): ToolSpec | null;
}

/** Looks tools up, and works their lists out once for all turns under the same policy. */
export class ToolCatalogs {
  readonly #tools: ToolPort;
  readonly #known = new Map<string, Catalog>();

  constructor(tools: ToolPort) {
    this.#tools = tools;
  }

  /** Asks the port anew each time: a tool whose description changed is a new tool. */
  async of(scope: ToolScope, policyDigest: string): Promise<Catalog> {
    const { tools } = await this.#tools.list(scope);
    const key = `${policyDigest} ${tools.map((tool) => tool.digest).join(' ')}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = catalogOf(scope, tools);
    if (this.#known.size >= keptCatalogs) this.#known.clear();
    this.#known.set(key, made);
    return made;
  }
}

const keptCatalogs = 200;

const catalogOf = (scope: ToolScope, tools: readonly ToolSpec[]): Catalog => {
  const byName = new Map<string, ToolSpec>();
  for (const tool of tools) byName.set(tool.id, tool);
  for (const tool of tools) byName.set(tool.alias, tool);
  return {
    offered: toolList(advertise(scope.policy, tools)),
    none: noTools,
    find: (name) => byName.get(name) ?? null,
  };
};
