/** What the index knows of one tool; everything but the names may be missing or malformed. */

export interface SearchDocument {
  /** Unique in the whole index; the canonical `server:tool`. */
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}
