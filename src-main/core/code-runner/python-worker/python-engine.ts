/** CPython as WebAssembly (Pyodide): its files, its snapshot, and how it is started and sealed. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { loadPyodide } from 'pyodide';
import { SealedImports } from './sealed-imports.ts';

type Engine = Awaited<ReturnType<typeof loadPyodide>>;

/** The parts of Emscripten's object used here; the package does not export it. */
interface EngineModule {
  readonly HEAP8: Int8Array;
  stringToNewUTF8(text: string): number;
  UTF8ToString(address: number): string;
  _PyRun_SimpleStringFlags(text: number, flags: number): number;
}

export interface LoadedEngine {
  readonly engine: Engine;
  readonly module: EngineModule;
  readonly imports: SealedImports;
  /** Its memory before any code runs, in bytes. */
  readonly bytes: number;
}

interface EngineFiles {
  /** The folder of Pyodide's own files. */
  readonly folder: URL;
  /** The memory of an engine that has loaded everything; without it, starting takes some seconds longer. */
  readonly image: URL;
  /** The Python sources in the snapshot; exists only among the sources. */
  readonly guest: URL;
}

/** Locates the engine's files from the worker's URL: among the sources, or in the build's output. */
export function engineFiles(workerUrl: string): EngineFiles {
  if (!new URL(workerUrl).pathname.endsWith('.ts')) {
    const folder = new URL('./python/', workerUrl);
    return { folder, image: new URL('engine.image', folder), guest: new URL('guest.py', folder) };
  }
  const guest = new URL('./guest.py', workerUrl);
  const folder = new URL('.//', import.meta.resolve('pyodide'));
  // Hashes everything that a snapshot is built from, so that changed sources yield another one.
  const state = createHash('sha256');
  for (const file of [guest, new URL('package.json', folder), new URL(import.meta.url)])
    state.update(readFileSync(file));
  const image = new URL(`../../../../node_modules/.cache/python/${state.digest('hex').slice(0, 16)}.image`, workerUrl);
  return { folder, image, guest };
}

/** Throws if the files are missing, or from different builds. */
export async function loadEngine(files: EngineFiles): Promise<LoadedEngine> {
  const isImaged = existsSync(files.image);
  const loaded = await load(files, isImaged ? { _loadSnapshot: readFileSync(files.image) } : {});
  if (!isImaged) addGuest(loaded.engine, files);
  return loaded;
}

/** Creates the memory of an engine that has loaded everything, for `_loadSnapshot`. */
export async function buildSnapshot(files: EngineFiles): Promise<Uint8Array> {
  const { engine } = await load(files, { _makeSnapshot: true });
  addGuest(engine, files);
  return (engine as unknown as { makeMemorySnapshot(): Uint8Array }).makeMemorySnapshot();
}

/** No packages are loaded, so their list is not needed. */
const noPackages = {
  info: { arch: 'wasm32', platform: 'emscripten', version: '0', python: '3.14', abi_version: '2026_0' },
  packages: {},
};

async function load(files: EngineFiles, more: object): Promise<LoadedEngine> {
  // Stack switching would be another way in and out.
  for (const name of ['Suspending', 'promising']) Reflect.deleteProperty(WebAssembly, name);
  const { instantiate } = WebAssembly;
  let imports: SealedImports | undefined;
  const sealing = async (source: BufferSource, given?: WebAssembly.Imports): Promise<unknown> => {
    if (given?.['env'] === undefined) return instantiate(source, given);
    const compiled = await WebAssembly.compile(source);
    imports = new SealedImports();
    return { module: compiled, instance: await instantiate(compiled, imports.wrap(compiled, given)) };
  };
  Object.assign(WebAssembly, { instantiate: sealing });
  const { loadPyodide } = await import('pyodide');
  const engine = await loadPyodide({
    indexURL: fileURLToPath(files.folder),
    lockFileContents: noPackages as never,
    // Empty, so that Python's `import js` exposes nothing.
    jsglobals: Object.create(null) as object,
    env: { HOME: '/', LANG: 'en_US.UTF-8' },
    // By default it takes the name of our own file, and stores it in the snapshot.
    _sysExecutable: 'python3',
    ...more,
  });
  Object.assign(WebAssembly, { instantiate });
  const module = (engine as unknown as { readonly _module: EngineModule })._module;
  if (imports === undefined) throw new Error('The engine started outside its seal.');
  imports.readText = (address) => module.UTF8ToString(address);
  return { engine, module, imports, bytes: module.HEAP8.length };
}

/** Both halves as modules, with a name that no library has. */
function addGuest(engine: Engine, { guest }: EngineFiles): void {
  const halves = { _tooltray_line: new URL('guest_line.py', guest), _tooltray: guest };
  for (const [name, file] of Object.entries(halves)) {
    const code = JSON.stringify(readFileSync(file, 'utf8'));
    engine.runPython(`
import sys, types
sys.modules["${name}"] = types.ModuleType("${name}")
exec(compile(${code}, "${name}.py", "exec"), sys.modules["${name}"].__dict__)
del sys, types
`);
  }
}
