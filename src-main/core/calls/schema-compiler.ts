/** Validators of tools' input schemas, each compiled at its first use and forgotten with the definition it belongs to. */
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject } from '../base/json.ts';
import { usableSchema } from '../catalog/catalog.ts';
import { isCheckable } from './checkable-schema.ts';

export type Validator = Pick<ValidateFunction, 'errors'> & ((value: unknown) => unknown);

export class SchemaCompiler {
  readonly #compiled = new WeakMap<JsonObject, Promise<Validator | undefined>>();

  /** The validator of a tool's input; undefined where its schema does not compile, or costs too much to be checked here. */
  validatorOf(definition: JsonObject): Promise<Validator | undefined> {
    const known = this.#compiled.get(definition);
    if (known !== undefined) return known;
    const compiled = compile(definition).catch(() => undefined);
    this.#compiled.set(definition, compiled);
    return compiled;
  }
}

/** A fresh instance for each: one that is shared keeps every schema for good, and refuses a second one with the same `$id`. */
async function compile(definition: JsonObject): Promise<Validator | undefined> {
  const schema = usableSchema(definition);
  if (!isCheckable(schema)) return undefined;
  // Loaded at the first check: it costs the start of the core 25 ms.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    validateFormats: false,
    meta: false,
    logger: false,
    addUsedSchema: false,
    inlineRefs: false,
  });
  // A server's pattern can hold the core for ever, and so can comparing each item with every other.
  ajv.removeKeyword('pattern').removeKeyword('uniqueItems');
  const { $schema: _dialect, ...rest } = schema;
  return ajv.compile(rest) as Validator;
}
