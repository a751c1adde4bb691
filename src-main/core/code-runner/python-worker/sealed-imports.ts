/**
 * Restricts the JavaScript that the engine can reach. Pyodide is built to reach all of it, and is documented not to be
 * a sandbox; but WebAssembly can only call its imports. Each import is wrapped, and once the engine has started only
 * those named here still work: clocks, random numbers, and its own in-memory files, read-only. Whatever Python does,
 * even to its own memory, it cannot bypass this.
 */

/** Clocks, random numbers, reading, and writing to the two existing devices. */
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
  // Internal functions of the interpreter: calls with another signature, and the check for signals.
  ...['_PyEM_TrampolineCall_JS', '_Py_CheckEmscriptenSignals_Helper', 'throw_no_gil'],
  ...['emscripten_runtime_keepalive_push', 'emscripten_runtime_keepalive_pop', '_emscripten_runtime_keepalive_clear'],
]);

/** Python receives an OSError for these; any other import ends the run. */
const refused = /^(?:__syscall_|_try_|_maybe_|fd_|_emscripten_system$|_mmap_js$|_munmap_js$|_msync_js$|_setitimer_js$)/;
const readOnlyFileSystem = 69;
const notThere = 52;
/** Flags of open() in musl that permit writing. */
const writing = 0o1 | 0o2 | 0o100 | 0o1000;
const device = '/dev/tooltray';

/** The code used a forbidden import, so the engine is no longer trusted. */
class SealBroken extends Error {}
/** The code exceeds its memory limit. */
export class OutOfMemoryError extends Error {}

type Import = (...given: unknown[]) => unknown;

export class SealedImports {
  /** Reads a text from the engine's memory, once it exists. */
  readText: (address: number) => string = () => '';
  #isSealed = false;
  #broken: Error | undefined;
  #maxTotalBytes = Infinity;

  /** The error of a broken seal or full memory; stored here, because code inside may swallow exceptions. */
  get broken(): Error | undefined {
    return this.#broken;
  }

  /** Returns the wrapped imports for `module`. */
  wrap(module: WebAssembly.Module, given: WebAssembly.Imports): WebAssembly.Imports {
    const wrapped: WebAssembly.Imports = {};
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
      const value = given[from]?.[name];
      if (value === undefined) throw new Error(`The engine requires ${name}, which is missing.`);
      const isFunction = kind === 'function' && typeof value === 'function';
      (wrapped[from] ??= {})[name] = isFunction ? this.#guard(name, value as Import) : value;
    }
    return wrapped;
  }

  /** From now on only permitted imports work, and the memory is limited to `maxTotalBytes`. */
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
    if (Number(given[0]) >>> 0 > this.#maxTotalBytes) this.#break(new OutOfMemoryError('Out of memory.'));
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
    return this.#break(new SealBroken(`It accessed ${name}.`));
  }

  #break(error: Error): never {
    this.#broken = error;
    throw error;
  }
}
