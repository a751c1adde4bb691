/** The arguments of `tooltray stdio` that the shim itself understands. */
import { resolve } from 'node:path';

export interface ShimArgs {
  readonly app: string | undefined;
  readonly mode: string | undefined;
  /** Absolute. */
  readonly config: string | undefined;
}

const names = ['app', 'mode', 'config'] as const;

/** Reads `--name value` and `--name=value`. Throws Error with a sentence for the person. */
export function parseShimArgs(args: readonly string[]): ShimArgs {
  const found = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const [, name, inline] = /^--([a-z]+)(?:=(.*))?$/s.exec(args[i] as string) ?? [];
    if (!names.some((known) => known === name)) {
      throw new Error(`tooltray stdio does not know "${args[i]}". It takes --app NAME, --mode MODE and --config FILE.`);
    }
    const value = inline ?? args[++i];
    if (value === undefined || value === '') throw new Error(`--${name} needs a value.`);
    found.set(name as string, value);
  }
  const config = found.get('config');
  return { app: found.get('app'), mode: found.get('mode'), config: config === undefined ? undefined : resolve(config) };
}
