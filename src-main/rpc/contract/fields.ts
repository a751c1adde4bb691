/** Shared by all parts of the contract: schemas of common fields and the types of requests. */
import { z } from 'zod';

export const text = z.string().max(10_000);
export const id = z.string().min(1).max(4096);
export const name = z.string().min(1).max(1000);
export const count = z.int().min(0);
export const flag = z.boolean();
export const entry = z.record(z.string(), z.unknown());
export const nothing = z.object({}).transform((): Nothing => ({}));
/** An optional field that is never `undefined`. */
export const maybe = z.exactOptional;

/** Input or output of a request that has none. */
export type Nothing = Record<string, never>;

/** Output type of a schema, deeply read-only. */
export type Parsed<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** A subject's requests: inputs as parsed by their schemas, and outputs. */
export type Methods<Inputs extends Readonly<Record<keyof Outputs, z.ZodType>>, Outputs> = {
  readonly [Method in keyof Outputs]: { readonly input: Parsed<Inputs[Method]>; readonly output: Outputs[Method] };
};
