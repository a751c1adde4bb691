/** Stray lines on a server's stdout, reported within bounds: the first ones in full, the rest as a number. */

const reported = 20;
/** A program that has printed so many lines and not one message is no MCP server. */
const hopeless = 10_000;
const maxTextChars = 500;

export class OddityLimit {
  readonly #report: (text: string) => void;
  readonly #giveUp: () => void;
  #count = 0;
  #messageSeen = false;

  /** `giveUp` is called once, when it is clear that no message will come. */
  constructor(report: (text: string) => void, giveUp: () => void) {
    this.#report = report;
    this.#giveUp = giveUp;
  }

  sawMessage(): void {
    this.#messageSeen = true;
  }

  add(text: string): void {
    this.#count++;
    if (this.#count <= reported) this.#report(text.length > maxTextChars ? `${text.slice(0, maxTextChars)}…` : text);
    if (this.#count === hopeless && !this.#messageSeen) this.#giveUp();
  }

  /** The stream is over: says how many lines were not shown. */
  end(): void {
    if (this.#count > reported) this.#report(`${this.#count - reported} more stray lines were not shown.`);
  }
}
