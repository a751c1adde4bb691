/** Reads a .mcpb bundle (a zip with a manifest), says what it needs to know, and makes a server of it in a folder of ours. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { unzipSync } from 'fflate';
import { AppError, errorText } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { type BundleManifest, readManifest } from './bundle-manifest.ts';

export interface Bundle {
  readonly manifest: BundleManifest;
  /** By their path in the zip; folders are left out. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Bundles hold a runtime's packages; what is far beyond that is no bundle. */
const mostFiles = 50_000;
const mostBytes = 1024 * 1024 * 1024;

export function isBundleFile(file: string): boolean {
  return /\.(mcpb|dxt)$/i.test(file);
}

/** Rejects with AppError config_invalid where it is no bundle, not_found where there is no such file. */
export async function readBundle(file: string): Promise<Bundle> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new AppError('not_found', `${file} cannot be read: ${errorText(cause)}`, { fix: 'Check the path.', cause });
  });
  const files = unzip(bytes, file);
  const manifest = files.get('manifest.json');
  if (manifest === undefined) throw noBundle(file, 'It has no manifest.json.');
  return { manifest: readManifest(parsed(manifest, file), file), files };
}

/** Writes the bundle's files into a folder of their own below `parent`, in one step; answers that folder. */
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
  // Zips made on Windows carry no permissions, so what is to be started is made startable.
  if (manifest.type === 'binary') await chmod(join(folder, manifest.entryPoint), 0o755).catch(() => undefined);
  return folder;
}

async function writeInside(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const target = resolve(folder, path);
  if (!target.startsWith(resolve(folder) + sep)) throw noBundle(path, 'A path in it leads out of it.');
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
        if (count > mostFiles || size > mostBytes) throw noBundle(file, 'It is too big.');
        return !name.endsWith('/');
      },
    });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw noBundle(file, `It cannot be unpacked: ${errorText(cause)}.`, cause);
  }
  const entries = Object.entries(unpacked);
  const leaving = entries.find(([path]) => leadsOut(path));
  if (leaving !== undefined) throw noBundle(file, `The path ${JSON.stringify(leaving[0])} in it leads out of it.`);
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
    throw noBundle(file, 'Its manifest.json is not JSON.', cause);
  }
  throw noBundle(file, 'Its manifest.json holds no object.');
}

function noBundle(file: string, why: string, cause?: unknown): AppError {
  return new AppError('config_invalid', `${file} is no bundle that can be used. ${why}`, { cause });
}
