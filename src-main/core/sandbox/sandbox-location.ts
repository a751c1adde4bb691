/** Where the files of the sandbox lie, among the sources and in the build. */
import { workerLocation } from '../base/worker-location.ts';

export function sandboxWorkerUrl(): URL {
  return workerLocation('js-worker/sandbox-worker', import.meta.url);
}

/** The entry of the process for Python. */
export function pythonProcessUrl(): URL {
  return workerLocation('python-worker/python-process', import.meta.url);
}

/** The engine's bytes, given the URL of the worker: the package's own file, or the one the build put beside the worker. */
export function engineUrl(workerUrl: string): URL {
  if (new URL(workerUrl).pathname.endsWith('.ts')) return new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm'));
  return new URL('./quickjs.wasm', workerUrl);
}
