/** Follows references inside of an OpenAPI description, and copies schemas with the definitions that they refer to. */
import { referredBy } from '../../base/json-pointer.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';

const maxReferences = 20;

export class References {
  readonly #document: JsonObject;

  constructor(document: JsonObject) {
    this.#document = document;
  }

  /** The object itself, or the one that it refers to; empty if there is none. */
  follow(value: unknown): JsonObject {
    let at = objectOrEmpty(value);
    for (let step = 0; step < maxReferences && typeof at['$ref'] === 'string'; step++) at = this.#at(at['$ref']);
    return typeof at['$ref'] === 'string' ? {} : at;
  }

  /** A copy whose references lead to `#/$defs/…`; the definitions, which may refer to each other, are added to `into`. */
  withDefinitions(value: unknown, into: Map<string, unknown>): unknown {
    if (Array.isArray(value)) return (value as unknown[]).map((one) => this.withDefinitions(one, into));
    if (!isObject(value)) return value;
    const { $ref } = value;
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.withDefinitions(one, into)]));
    const name = $ref.replace(/^#\/components\/schemas\//, '').replaceAll(/[^\w.-]/g, '_');
    if (!into.has(name)) {
      into.set(name, {});
      into.set(name, this.withDefinitions(this.#at($ref), into));
    }
    return { ...value, $ref: `#/$defs/${name}` };
  }

  #at(reference: string): JsonObject {
    return objectOrEmpty(referredBy(this.#document, reference));
  }
}
