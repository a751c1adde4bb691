/**
 * Restricts the JavaScript that the engine can reach. Pyodide is built to reach all of it, and documents that it is no
 * sandbox; but WebAssembly can only call its imports. Each import is wrapped, and once the engine is up only the ones
 * named here still work: clocks, random numbers, and its own files in memory, read-only. Whatever Python does, even to
 * its own memory, it cannot get past this.
 */

/** Clocks, random numbers, reading, and writing to the two devices that are there. */
const allowed: ReadonlySet<string> = new Set([
  ...['clock_res_get', 'clock_time_get', 'emscripten_date_now', 'emscripten_get_now', 'random_get'],
  ...['_gmtime_js', '_localtime_js', '_mktime_js', '_timegm_js', '_tzset_js'],
  ...[
    'environ_get',
    'environ_sizes_get',
    '_emscripten_get_progname',
    '_Py_emscripten_runtime',
    '__syscall_getuid32_js',
  ],
  ...['fd_close', 'fd_fdstat_get', 'fd_pread', 'fd_read', 'fd_seek', 'fd_sync', 'fd_write', '__syscall_fcntl64'],
  ...['__syscall_dup', '__syscall_faccessat', '__syscall_fstat64', '__syscall_getcwd', '__syscall_getdents64'],
  ...['__syscall_ioctl', '__syscall_lstat64', '__syscall_newfstatat', '__syscall_readlinkat', '__syscall_stat64'],
  ...['_try_fcntl64', '__syscall_chdir', '__syscall_fchdir', 'emscripten_get_heap_max'],
  // Of the interpreter itself: calls of functions under another signature, and its look for signals.
  ...['_PyEM_TrampolineCall_JS', '_Py_CheckEmscriptenSignals_Helper', 'throw_no_gil'],
  ...['emscripten_runtime_keepalive_push', 'emscripten_runtime_keepalive_pop', '_emscripten_runtime_keepalive_clear'],
]);

/** Python gets an OSError for these; whatever else is asked for ends the run. */
const refused = /^(?:__syscall_|_try_|_maybe_|fd_|_emscripten_system$|_mmap_js$|_munmap_js$|_msync_js$|_setitimer_js$)/;
const readOnlyFileSystem = 69;
const notThere = 52;
/** Anything but reading: flags of open() as musl has them. */
const writing = 0o1 | 0o2 | 0o100 | 0o1000;
const device = '/dev/tooltray';

/** The code reached for what is not there, and the engine is not to be trusted any more. */
class SealBroken extends Error {}
/** The code wants more memory than it may have. */
export class OutOfMemoryError extends Error {}

type Import = (...given: unknown[]) => unknown;

export class SealedImports {
  /** Reads a text of the engine's memory, once there is one. */
  readText: (address: number) => string = () => '';
  #isSealed = false;
  #broken: Error | undefined;
  #maxTotalBytes = Infinity;

  /** Error of a broken seal or full memory; stored here, because code inside may swallow what is thrown. */
  get broken(): Error | undefined {
    return this.#broken;
  }

  /** Returns the imports for `module` in place of `given`. */
  wrap(module: WebAssembly.Module, given: WebAssembly.Imports): WebAssembly.Imports {
    const wrapped: WebAssembly.Imports = {};
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
      const value = given[from]?.[name];
      if (value === undefined) throw new Error(`The engine wants ${name}, which is not there.`);
      const isFunction = kind === 'function' && typeof value === 'function';
      (wrapped[from] ??= {})[name] = isFunction ? this.#guard(name, value as Import) : value;
    }
    return wrapped;
  }

  /** From here on only what is allowed answers, and the memory ends at so many bytes. */
  seal(maxTotalBytes: number): void {
    this.#isSealed = true;
    this.#maxTotalBytes = maxTotalBytes;
  }

  #guard(name: string, original: Import): Import {
    if (name === 'emscripten_resize_heap') return (...given) => this.#grow(original, given);
    if (name === '__syscall_openat') return (...given) => this.#open(original, given);
    if (allowed.has(name)) return (...given) => (this.#check(), original(...given));
    return (...given) => (this.#isSealed ? this.#refuse(name) : original(...given));
  }

  #check(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  #grow(original: Import, given: readonly unknown[]): unknown {
    this.#check();
    if (Number(given[0]) >>> 0 > this.#maxTotalBytes) this.#break(new OutOfMemoryError('The memory is full.'));
    return original(...given);
  }

  #open(original: Import, given: readonly unknown[]): unknown {
    this.#check();
    const isWriting = (Number(given[2]) & writing) !== 0;
    if (this.#isSealed && isWriting && this.readText(Number(given[1])) !== device) return -readOnlyFileSystem;
    return original(...given);
  }

  #refuse(name: string): unknown {
    this.#check();
    if (refused.test(name))
      return /dirat|mknod|unlink|rename|trunc|chmod|chown|symlink|utime|rmdir/.test(name)
        ? -readOnlyFileSystem
        : -notThere;
    return this.#break(new SealBroken(`It reached for ${name}.`));
  }

  #break(error: Error): never {
    this.#broken = error;
    throw error;
  }
}
