/**
 * Reads a .mcpb bundle (a zip with a manifest), lists its settings, and creates a server from it in a folder of
 * Tooltray.
 */
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { unzipSync } from 'fflate';
import { z } from 'zod';
import { AppError, errorText } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { describeIssue } from '../config/issue-text.ts';
import type { Machine } from './app-files.ts';

export interface Bundle {
  readonly manifest: BundleManifest;
  /** Contents by path in the zip; folders are omitted. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Bundles include packages of a runtime; anything far larger is not a bundle. */
const maxFiles = 50_000;
const maxBytes = 1024 * 1024 * 1024;

export function isBundleFile(file: string): boolean {
  return /\.(mcpb|dxt)$/i.test(file);
}

/** Rejects with AppError `config_invalid` if it is not a bundle, `not_found` if there is no such file. */
export async function readBundle(file: string): Promise<Bundle> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new AppError('not_found', `${file} cannot be read: ${errorText(cause)}`, { fix: 'Check the path.', cause });
  });
  const files = unzip(bytes, file);
  const manifest = files.get('manifest.json');
  if (manifest === undefined) throw noBundle(file, 'It has no manifest.json.');
  return { manifest: readManifest(parsed(manifest, file), file), files };
}

/** Writes the bundle's files into a new folder below `parent`, atomically; returns the folder. */
export async function unpackBundle({ manifest, files }: Bundle, parent: string): Promise<string> {
  const safe = (text: string): string => text.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_');
  const folder = join(parent, `${safe(manifest.name)}-${safe(manifest.version)}`);
  const draft = `${folder}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    for (const [path, bytes] of files) await writeInside(draft, path, bytes);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  // Zips created on Windows have no permissions, so the program is made executable.
  if (manifest.type === 'binary') await makeExecutable(folder, manifest.entryPoint);
  return folder;
}

/** Changes files of the bundle only; any other entry point is reported when the server starts. */
async function makeExecutable(folder: string, entryPoint: string): Promise<void> {
  const [root, file] = await Promise.all(
    [folder, join(folder, entryPoint)].map((path) => realpath(path).catch(() => undefined)),
  );
  if (root === undefined || file === undefined || !file.startsWith(root + sep)) return;
  await chmod(file, 0o755);
}

async function writeInside(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const target = resolve(folder, path);
  if (!target.startsWith(resolve(folder) + sep)) throw noBundle(path, 'It contains a path outside of the bundle.');
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await writeFile(target, bytes, { mode: 0o600 });
}

function unzip(bytes: Uint8Array, file: string): ReadonlyMap<string, Uint8Array> {
  let [count, size] = [0, 0];
  let unpacked: Record<string, Uint8Array>;
  try {
    unpacked = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        count++;
        size += originalSize;
        if (count > maxFiles || size > maxBytes) throw noBundle(file, 'It is too large.');
        return !name.endsWith('/');
      },
    });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw noBundle(file, `It cannot be unpacked: ${errorText(cause)}.`, cause);
  }
  const entries = Object.entries(unpacked);
  const leaving = entries.find(([path]) => leadsOut(path));
  if (leaving !== undefined) throw noBundle(file, `The path ${JSON.stringify(leaving[0])} is outside of the bundle.`);
  return new Map(entries);
}

function leadsOut(path: string): boolean {
  return path.split(/[\\/]/).includes('..') || /^([\\/]|[A-Za-z]:)/.test(path) || path.includes('\0');
}

function parsed(bytes: Uint8Array, file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isObject(value)) return value;
  } catch (cause) {
    throw noBundle(file, 'Its manifest.json is not valid JSON.', cause);
  }
  throw noBundle(file, 'Its manifest.json is not an object.');
}

function noBundle(file: string, why: string, cause?: unknown): AppError {
  return new AppError('config_invalid', `${file} is not a usable bundle. ${why}`, { cause });
}

// The fields of a .mcpb manifest (versions 0.1 to 0.4) that are used to create a server.

const texts = z.array(z.string());
const variables = z.record(z.string(), z.string());
const launch = z.object({ command: z.string().min(1), args: texts.default([]), env: variables.default({}) });
/** Without defaults, because omitted members are inherited. */
const override = z.object({ command: z.string().min(1), args: texts, env: variables }).partial();

const setting = z.object({
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: z.string().default(''),
  description: z.string().default(''),
  required: z.boolean().default(false),
  sensitive: z.boolean().default(false),
  multiple: z.boolean().default(false),
  default: z.union([z.string(), z.number(), z.boolean(), texts]).optional(),
});

const schema = z.object({
  name: z.string().min(1),
  version: z.string().min(1),
  display_name: z.string().optional(),
  description: z.string().default(''),
  server: z.object({
    type: z.enum(['node', 'python', 'binary', 'uv']),
    entry_point: z.string().min(1),
    mcp_config: launch.extend({ platform_overrides: z.record(z.string(), override).default({}) }).optional(),
  }),
  user_config: z.record(z.string(), setting).default({}),
});

type BundleSetting = z.infer<typeof setting>;

interface BundleManifest {
  readonly name: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly type: 'node' | 'python' | 'binary' | 'uv';
  readonly entryPoint: string;
  readonly launch: BundleLaunch;
  /** Overrides by platform, in Node.js spelling. */
  readonly overrides: Readonly<Record<string, { [K in keyof BundleLaunch]?: BundleLaunch[K] | undefined }>>;
  readonly settings: Readonly<Record<string, BundleSetting>>;
}

interface BundleLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Throws AppError `config_invalid` with the first error. */
function readManifest(value: Record<string, unknown>, file: string): BundleManifest {
  const checked = schema.safeParse(value, { jitless: true });
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const where = issue === undefined ? '' : ` ${issue.path.join('.')}: ${describeIssue(issue)}`;
    throw new AppError('config_invalid', `The manifest in ${file} is invalid.${where}`);
  }
  const { name, version, display_name: title = name, description, server, user_config: settings } = checked.data;
  const { type, entry_point: entryPoint, mcp_config: launched } = server;
  if (leadsOut(entryPoint))
    throw noBundle(file, `Its entry point ${JSON.stringify(entryPoint)} is outside of the bundle.`);
  const { platform_overrides: overrides = {}, ...own } = launched ?? defaultLaunch(type, entryPoint);
  return { name, version, title, description, type, entryPoint, launch: own, overrides, settings };
}

/** Returns the launch for a manifest that omits it. */
function defaultLaunch(
  type: BundleManifest['type'],
  entryPoint: string,
): BundleLaunch & { platform_overrides?: never } {
  const file = `\${__dirname}/${entryPoint}`;
  switch (type) {
    case 'node':
      return { command: 'node', args: [file], env: {} };
    case 'python':
      return { command: 'python', args: [file], env: {} };
    case 'uv':
      return { command: 'uv', args: ['run', '--directory', '${__dirname}', entryPoint], env: {} };
    case 'binary':
      return { command: file, args: [], env: {} };
  }
}

// Creates a server entry from a bundle's manifest, with placeholders filled in: its folder, and the user's choices.

/** The user's choices by setting key; several values if the setting accepts several. */
type BundleChoices = Readonly<Record<string, readonly string[]>>;

/** Required settings without a choice. */
function missingSettings({ settings }: BundleManifest, choices: BundleChoices): [string, BundleSetting][] {
  return Object.entries(settings).filter(([key, { required, default: usual }]) => {
    return required && usual === undefined && (choices[key] ?? []).join('') === '';
  });
}

/** Throws AppError `bad_request` if a required choice is missing, or a choice is unknown. */
export function bundleEntry(
  manifest: BundleManifest,
  folder: string,
  choices: BundleChoices,
  machine: Pick<Machine, 'home' | 'platform'>,
): JsonObject {
  const unknown = Object.keys(choices).find((key) => !Object.hasOwn(manifest.settings, key));
  if (unknown !== undefined) throw noSetting(unknown, manifest);
  const missing = missingSettings(manifest, choices);
  if (missing.length > 0) throw notChosen(missing, manifest);
  const values = valuesOf(manifest, choices, folder, machine);
  const override = manifest.overrides[machine.platform] ?? {};
  const { command, args, env } = manifest.launch;
  const filled = Object.entries({ ...env, ...override.env })
    .map(([name, value]) => [name, fill(value, values)] as const)
    .filter(([, value]) => value !== undefined);
  return {
    command: fill(override.command ?? command, values) ?? '',
    args: (override.args ?? args).flatMap((word) => fillWord(word, values)),
    ...(filled.length > 0 && { env: Object.fromEntries(filled) }),
    ...(manifest.description !== '' && { description: manifest.description }),
  };
}

/** Values by placeholder, without `${` and `}`; an empty list for an unset optional setting. */
type Values = ReadonlyMap<string, readonly string[]>;

function valuesOf(
  { settings }: BundleManifest,
  choices: BundleChoices,
  folder: string,
  { home, platform }: Pick<Machine, 'home' | 'platform'>,
): Values {
  const separator = platform === 'win32' ? '\\' : '/';
  const places = new Map<string, readonly string[]>([
    ['__dirname', [folder]],
    ['HOME', [home]],
    ['DESKTOP', [join(home, 'Desktop')]],
    ['DOCUMENTS', [join(home, 'Documents')]],
    ['DOWNLOADS', [join(home, 'Downloads')]],
    ['pathSeparator', [separator]],
    ['/', [separator]],
  ]);
  const chosen = Object.entries(settings).map(([key, { default: usual }]): [string, readonly string[]] => {
    const fallback = usual === undefined ? [] : [usual].flat().map((value) => fill(String(value), places) ?? '');
    return [`user_config.${key}`, choices[key] ?? fallback];
  });
  return new Map([...places, ...chosen]);
}

const placeholder = /\$\{([^}]+)\}/g;

/** A word that consists only of a setting with several values becomes several words, or none. */
function fillWord(word: string, values: Values): readonly string[] {
  const [, only] = /^\$\{(user_config\.[^}]+)\}$/.exec(word) ?? [];
  if (only !== undefined) return values.get(only) ?? [word];
  const filled = fill(word, values);
  return filled === undefined ? [] : [filled];
}

/** Undefined if a setting in it has no value; other placeholders stay. */
function fill(text: string, values: Values): string | undefined {
  const names = [...text.matchAll(placeholder)].map(([, name = '']) => name);
  if (names.some((name) => values.get(name)?.length === 0)) return undefined;
  return text.replace(placeholder, (whole, name: string) => values.get(name)?.join(',') ?? whole);
}

function noSetting(key: string, { title, settings }: BundleManifest): AppError {
  const keys = Object.keys(settings);
  return new AppError('bad_request', `${title} has no setting named "${key}".`, {
    fix: keys.length === 0 ? 'It has no settings.' : `Settings: ${keys.join(', ')}.`,
  });
}

function notChosen(missing: readonly [string, BundleSetting][], { title }: BundleManifest): AppError {
  const named = missing.map(([key, setting]) => (setting.title === '' ? key : `${key} (${setting.title})`));
  return new AppError('bad_request', `${title} requires these settings: ${named.join(', ')}.`, {
    fix: `Add ${missing.map(([key]) => `--set ${key}=…`).join(' ')}.`,
    data: { missing: missing.map(([key]) => key) },
  });
}
