/** A value of JSON on its way into a part, or into memory where it is short. */
import { parseJson } from '../../base/json.ts';
import type { ByteTarget, Consumer } from './consumer.ts';
import type { DraftPlace } from './draft-place.ts';
import { PartDraft } from './part-draft.ts';
import { PrettyJson } from './pretty-json.ts';
import { ShapeBuilder, type ShapeNode } from './shape-builder.ts';

export interface JsonPartOptions {
  readonly place: DraftPlace;
  /** Gather its shape, and make it comparable. */
  readonly watched: boolean;
  readonly ended: (part: JsonPart) => void;
  /** Gets the same bytes. */
  readonly beside?: ByteTarget;
}

export class JsonPart implements Consumer {
  readonly draft: PartDraft;
  readonly #json: PrettyJson;
  readonly #shape: ShapeBuilder | undefined;
  readonly #ended: (part: JsonPart) => void;
  readonly #beside: ByteTarget | undefined;

  constructor({ place, watched, ended, beside }: JsonPartOptions) {
    this.draft = new PartDraft(place, watched);
    this.#shape = watched ? new ShapeBuilder() : undefined;
    this.#json = new PrettyJson(this.draft, this.#shape);
    this.#ended = ended;
    this.#beside = beside;
  }

  get done(): boolean {
    return this.#json.done;
  }

  get shape(): ShapeNode | undefined {
    return this.#shape?.root;
  }

  push(bytes: Uint8Array, start: number, end: number): number {
    const at = this.#json.push(bytes, start, end);
    this.#beside?.push(bytes, start, at);
    if (this.#json.done) {
      this.draft.end();
      this.#ended(this);
    }
    return at;
  }

  /** The value, if it takes at most this many bytes; undefined if it does not, or is nested too deep to be a value here. */
  parse(most: number): { readonly value: unknown } | undefined {
    if (this.draft.bytes > most || this.draft.file !== undefined) return undefined;
    try {
      return { value: parseJson(this.draft.content.toString('utf8')) };
    } catch {
      return undefined;
    }
  }
}
