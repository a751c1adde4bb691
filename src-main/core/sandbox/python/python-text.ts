/** What Python prints, put together to lines: the engine tells of each piece by itself. */
import type { PrintedLines } from '../printed-lines.ts';

/** Beyond this a line is cut by the bound of all that is printed anyway. */
const longestLine = 65_536;

export class PythonText {
  readonly #lines: PrintedLines;
  #begun = '';

  constructor(lines: PrintedLines) {
    this.#lines = lines;
  }

  add(text: string): void {
    const [first = '', ...rest] = text.split('\n');
    this.#begun += first;
    for (const next of rest) {
      this.#lines.print(this.#begun);
      this.#begun = next;
    }
    if (this.#begun.length > longestLine) this.end();
  }

  line(text: string): void {
    this.end();
    this.#lines.print(text);
  }

  /** A last line that no line break ended. */
  end(): void {
    if (this.#begun !== '') this.#lines.print(this.#begun);
    this.#begun = '';
  }
}
