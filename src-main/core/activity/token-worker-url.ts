/** Where the worker that counts tokens lies, among the sources and in the build. */
import { workerLocation } from '../base/worker-location.ts';

export function tokenWorkerUrl(): URL {
  return workerLocation('token-worker', import.meta.url);
}
