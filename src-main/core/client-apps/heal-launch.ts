/** The person's own command in another spelling, for when it is gone from where the config has it: a moved node, a script of Windows. */
import { isAbsolute, join } from 'node:path';
import { isObject, type JsonObject } from '../base/json.ts';

/** Where a command is, on the PATH that servers get; undefined where there is none. */
export type FindCommand = (command: string, env: Readonly<Record<string, string>>) => Promise<string | undefined>;

const twins: Readonly<Record<string, string>> = {
  python: 'python3',
  python3: 'python',
  node: 'nodejs',
  nodejs: 'node',
};

/** The entry with a command that can be found, the likeliest first; empty where its own can be, or nothing like it. */
export async function repairedLaunches(
  entry: JsonObject,
  find: FindCommand,
  { home, platform }: { readonly home: string; readonly platform: NodeJS.Platform },
): Promise<readonly JsonObject[]> {
  const { command, args } = entry;
  const env = textsOf(entry['env']);
  if (typeof command !== 'string' || (await find(command, env)) !== undefined) return [];
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]).map(String) : [])];
  const repaired: JsonObject[] = [];
  for (const base of hasOwnPath(env) ? [entry, withoutPath(entry, env)] : [entry]) {
    for (const [program = '', ...rest] of [words, ...otherSpellings(words, home, platform)]) {
      const known = repaired.some((one) => one['command'] === program);
      if (known || (await find(program, textsOf(base['env']))) === undefined) continue;
      repaired.push({ ...base, command: program, ...(rest.length > 0 || args !== undefined ? { args: rest } : {}) });
    }
  }
  return repaired;
}

/** One that was written down for good, as some installers do: it hides what has moved since. */
function hasOwnPath(env: Readonly<Record<string, string>>): boolean {
  return Object.entries(env).some(([name, value]) => isPath(name) && !value.includes('${'));
}

function withoutPath({ env: _, ...entry }: JsonObject, env: Readonly<Record<string, string>>): JsonObject {
  const others = Object.entries(env).filter(([name]) => !isPath(name));
  return others.length === 0 ? entry : { ...entry, env: Object.fromEntries(others) };
}

function isPath(name: string): boolean {
  return name.toUpperCase() === 'PATH';
}

function otherSpellings([command = '', ...args]: readonly string[], home: string, platform: NodeJS.Platform) {
  const own = /^~[/\\]/.test(command) ? [join(home, command.slice(2))] : [];
  const file = command.split(/[\\/]/).at(-1) ?? command;
  const bare = file.replace(/\.(exe|cmd|bat)$/i, '');
  const twin = twins[bare.toLowerCase()];
  // A path of a folder of ours says which program is meant; a relative one means a file that is gone.
  const isMoved = isAbsolute(command) || /^[A-Za-z]:[\\/]/.test(command) || file === command;
  const words = isMoved ? [bare, ...(twin === undefined ? [] : [twin])] : [];
  const unwrapped = platform !== 'win32' && /^cmd$/i.test(bare) && /^\/c$/i.test(args[0] ?? '') ? [args.slice(1)] : [];
  const spelled = [...own, ...words].filter((word) => word !== command).map((word) => [word, ...args]);
  return [...unwrapped.filter((line) => line.length > 0), ...spelled];
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(entries.flatMap(([key, item]) => (typeof item === 'string' ? [[key, item] as const] : [])));
}
