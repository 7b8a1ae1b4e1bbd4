/** The part of the parser that is used here. Nodes are read by name, one closed list of kinds at a time. */
declare module 'mvdan-sh' {
  interface Syntax {
    readonly LangBash: number;
    NewParser(...options: readonly unknown[]): { Parse(text: string, name: string): unknown };
    Variant(language: number): unknown;
    /** @throws when the value is no node */
    NodeType(node: unknown): string;
  }
  const sh: { readonly syntax: Syntax };
  export default sh;
}
