/** What the code prints, up to a bound. */

const mostCharacters = 65_536;
/** What an empty line counts, so that their number is bounded too. */
const lineCost = 16;

export class PrintedLines {
  readonly #write: (line: string) => void;
  #left = mostCharacters;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  print(line: string): void {
    if (this.#left <= 0) return;
    const room = this.#left;
    this.#left -= line.length + lineCost;
    this.#write(line.slice(0, room));
    if (this.#left <= 0) this.#write('[further output is left out]');
  }
}
