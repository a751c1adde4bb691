/** Applies cuts to a JSONC text and refuses the result unless it says exactly what was wanted. */
import { isDeepStrictEqual } from 'node:util';
import type { Node } from 'jsonc-parser';
import { AppError } from '../base/errors.ts';
import { ConfigDocument } from './config-document.ts';
import { JsoncText, nodeValue } from './jsonc-text.ts';

const bom = '\uFEFF';

/** Edits a text whose root is an object. */
export class VerifiedEdit {
  readonly #before: string;
  #source: JsoncText;

  /**
   * An empty text, or one of comments alone, becomes an empty object. Throws `config_invalid` when it cannot be read.
   */
  constructor(text: string) {
    this.#before = text;
    const source = new JsoncText(text.startsWith(bom) ? text.slice(1) : text);
    this.#source = source.isEmpty ? new JsoncText(withObject(source)) : source;
    if (this.#source.root?.type !== 'object') throw unreadable(text);
  }

  get root(): Node {
    if (this.#source.root === undefined) throw unreadable(this.#source.text);
    return this.#source.root;
  }

  /** The whole as a value, to be changed into what `cut` should bring about. */
  value(): Record<string, unknown> {
    return nodeValue(this.root) as Record<string, unknown>;
  }

  /** Applies one cut. Throws `config_invalid`, with nothing changed, when the new text does not mean `wanted`. */
  apply(change: (source: JsoncText) => string, wanted: unknown): void {
    const source = new JsoncText(change(this.#source));
    // Through JSON, because a value that is undefined is not written.
    const expected: unknown = JSON.parse(JSON.stringify(wanted));
    if (source.root === undefined || !isDeepStrictEqual(nodeValue(source.root), expected)) {
      throw new AppError(
        'config_invalid',
        'This edit could not be made without damage to the config file, so it was not made.',
        {
          fix: 'Make the change in a text editor.',
        },
      );
    }
    this.#source = source;
  }

  /** The text as it is now, with the byte order mark it came with. */
  get text(): string {
    return (this.#before.startsWith(bom) ? bom : '') + this.#source.text;
  }
}

function withObject({ text, eol }: JsoncText): string {
  return text.trim() === '' ? `{}${eol}` : `${text.trimEnd()}${eol}{}${eol}`;
}

function unreadable(text: string): AppError {
  const [problem] = new ConfigDocument(text, '').problems;
  const place = problem === undefined ? '' : ` (line ${problem.line}, column ${problem.column}: ${problem.reason})`;
  return new AppError('config_invalid', `The config file cannot be edited because it cannot be read${place}.`, {
    fix: 'Mend the file first.',
  });
}
