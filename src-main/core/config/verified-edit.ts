/** Edits JSONC text and rejects an edit if its parsed result differs from the expected value. */
import { isDeepStrictEqual } from 'node:util';
import type { Node } from 'jsonc-parser';
import { AppError } from '../base/errors.ts';
import { ConfigDocument } from './config-document.ts';
import { atLine } from './dialects/parse-text.ts';
import { JsoncText, nodeValue } from './jsonc-text.ts';

const bom = '\uFEFF';

/** Edits JSONC text whose root is an object; verifies each edit by parsing the result again. */
export class VerifiedEdit {
  readonly #before: string;
  #source: JsoncText;

  /**
   * Treats an empty text, or one of comments only, as an empty object. Throws `config_invalid` if the text cannot be
   * parsed.
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

  /** Returns the document as a plain value, to change and pass to `apply` as `wanted`. */
  value(): Record<string, unknown> {
    return nodeValue(this.root) as Record<string, unknown>;
  }

  /** Applies one edit. Throws `config_invalid` and changes nothing if the new text does not parse to `wanted`. */
  apply(change: (source: JsoncText) => string, wanted: unknown): void {
    const source = new JsoncText(change(this.#source));
    // The round trip through JSON drops undefined members, which are not written.
    const expected: unknown = JSON.parse(JSON.stringify(wanted));
    if (source.root === undefined || !isDeepStrictEqual(nodeValue(source.root), expected)) {
      throw new AppError('config_invalid', 'This edit would damage the config file, so it was not made.', {
        fix: 'Make the change in a text editor.',
      });
    }
    this.#source = source;
  }

  /** Returns the edited text, with the byte order mark of the original. */
  get text(): string {
    return (this.#before.startsWith(bom) ? bom : '') + this.#source.text;
  }
}

function withObject({ text, eol }: JsoncText): string {
  return text.trim() === '' ? `{}${eol}` : `${text.trimEnd()}${eol}{}${eol}`;
}

function unreadable(text: string): AppError {
  const [problem] = new ConfigDocument(text, '').problems;
  const place = problem === undefined ? '' : ` (${atLine(problem.line, problem.reason).replace(/\.$/, '')})`;
  return new AppError('config_invalid', `The file cannot be read${place}.`, {
    fix: problem?.suggestion ?? 'Correct the file first.',
  });
}
