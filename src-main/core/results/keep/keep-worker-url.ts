/** Where the worker that writes answers lies, among the sources and in the build. */
import { workerLocation } from '../../base/worker-location.ts';

export function keepWorkerUrl(): URL {
  return workerLocation('keep-worker', import.meta.url);
}
