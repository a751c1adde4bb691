/** Wraps the spills of a session and records each text read from them for the data flow check. */
import {
  joinedBy,
  type SpillQueryResult,
  type SpillContent,
  type SpillFiles,
  type SpillQuery,
  type SqlInput,
  type SqlRows,
} from './spill-queries.ts';

export class TrackedSpillFiles implements SpillFiles {
  readonly #files: SpillFiles;
  readonly #note: (ref: string, text: string) => void;

  constructor(files: SpillFiles, note: (ref: string, text: string) => void) {
    this.#files = files;
    this.#note = note;
  }

  async query(ref: string, question: SpillQuery, signal: AbortSignal, maxBytes?: number): Promise<SpillQueryResult> {
    const answer = await this.#files.query(ref, question, signal, maxBytes);
    for (const each of [ref, ...joinedBy(question)]) this.#note(each, answer.text);
    return answer;
  }

  async select(input: SqlInput, query: string, signal: AbortSignal): Promise<SqlRows> {
    const found = await this.#files.select(input, query, signal);
    if ('ref' in input) this.#note(input.ref, found.rows.map((row) => row.join('\t')).join('\n'));
    return found;
  }

  async readText(ref: string): Promise<string> {
    const text = await this.#files.readText(ref);
    this.#note(ref, text);
    return text;
  }

  async content(ref: string): Promise<SpillContent> {
    const content = await this.#files.content(ref);
    if ('text' in content) this.#note(ref, content.text);
    return content;
  }
}
