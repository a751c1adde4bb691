/** Reads the arguments of a command; what it does not know is wrong use. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { AppError } from '../core/base/errors.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** Flags that nearly every command takes. */
export const commonFlags = { config: { type: 'string' }, json: { type: 'boolean' } } as const;

/** Flags of commands that change files of other programs. */
export const changeFlags = { ...commonFlags, 'dry-run': { type: 'boolean' }, yes: { type: 'boolean' } } as const;

type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true; strict: true }>>;

/**
 * `words` are the least and the most words beside the flags; `form` is how the command is used, for the error.
 * Throws AppError bad_request.
 */
export function readFlags<const O extends Options>(
  args: readonly string[],
  options: O,
  words: readonly [least: number, most: number],
  form: string,
): Parsed<O> {
  let parsed: Parsed<O>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (cause) {
    // Node appends advice about `--` that is right for none of our commands.
    const [sentence = ''] = (cause as Error).message.split(/\. |\n/);
    throw wrongUse(sentence, form, cause);
  }
  const [least, most] = words;
  if (parsed.positionals.length < least) throw wrongUse('Something is missing', form);
  if (parsed.positionals.length > most) throw wrongUse(`${JSON.stringify(parsed.positionals[most])} is too much`, form);
  return parsed;
}

/** `what` is a sentence without its full stop. */
export function wrongUse(what: string, form: string, cause?: unknown): AppError {
  return new AppError('bad_request', `${what.replace(/\.$/, '')}.`, {
    fix: `Use it like this: tooltray ${form}`,
    cause,
  });
}
