/**
 * Licences that packages owe and do not carry: of themselves where they only name theirs, and of the software of others
 * that is compiled in them. Held to a version, so that whoever raises it looks again at what is inside.
 */

export interface Part {
  /** As users read it, after the package's own name. */
  readonly name: string;
  /** A file of texts/. */
  readonly text: string;
}

export interface Inside {
  readonly version: string;
  /** What the package itself is under, where it carries no text. */
  readonly own?: string;
  /** Where its licence asks to be told where the sources are. */
  readonly source?: string;
  readonly parts: readonly Part[];
}

const musl = { name: 'musl', text: 'musl.txt' };
const llvm = 'llvm.txt';

/**
 * The keychain's library is a package for each system; what each has inside it says itself, but not what it is under.
 */
const keychainSystems = [
  ...['darwin-arm64', 'darwin-x64', 'freebsd-x64', 'linux-arm-gnueabihf', 'linux-arm64-gnu', 'linux-arm64-musl'],
  ...['linux-riscv64-gnu', 'linux-x64-gnu', 'linux-x64-musl', 'win32-arm64-msvc', 'win32-ia32-msvc', 'win32-x64-msvc'],
];

const keychainLibraries = keychainSystems.map((system): [string, Inside] => [
  `@napi-rs/keyring-${system}`,
  { version: '2.1.2', own: 'keyring-node.txt', parts: [{ name: 'keyring-node', text: 'keyring-node.txt' }] },
]);

/** By package. */
export const insidePackages: Readonly<Record<string, Inside>> = {
  ...Object.fromEntries(keychainLibraries),
  postgres: { version: '3.4.9', own: 'unlicense.txt', parts: [] },
  'lazy-val': { version: '1.0.5', own: 'lazy-val.txt', parts: [] },
  '@cfworker/json-schema': { version: '4.1.6', own: 'cfworker.txt', parts: [] },
  pyodide: {
    version: '314.0.7',
    own: 'mpl-2.0.txt',
    source: 'https://github.com/pyodide/pyodide, version 314.0.7; passed on unchanged',
    parts: [
      { name: 'CPython 3.14.2', text: 'cpython.txt' },
      { name: 'what CPython 3.14.2 incorporates', text: 'in-cpython.txt' },
      { name: 'its libraries and the runtime of Emscripten', text: 'pyodide-libraries.txt' },
      { name: 'compiler-rt, libc++, libc++abi and libunwind', text: llvm },
      musl,
    ],
  },
  'quickjs-wasi': {
    version: '3.6.2',
    parts: [
      { name: 'QuickJS-NG', text: 'quickjs.txt' },
      { name: 'wasi-libc and compiler-rt', text: llvm },
      { name: 'cloudlibc', text: 'cloudlibc.txt' },
      musl,
    ],
  },
};
