/** Content by digest, kept in the log's own streams. */
export interface Artifacts {
  /** Records a text and answers its digest; a repeat is a no-op. Resolves when it is durable. */
  put(text: string): Promise<{ readonly digest: string; readonly bytes: number }>;
  /** Null when nothing of that digest was recorded. */
  get(digest: string): Promise<string | null>;
}
