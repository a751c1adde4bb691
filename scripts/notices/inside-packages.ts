/**
 * Licenses that packages require but do not include: their own if they only name it, and those of software compiled
 * into them. Valid for one version, so that an update requires a new review.
 */

export interface Part {
  /** Display name after the package's own name. */
  readonly name: string;
  /** A file in texts/. */
  readonly text: string;
}

export interface Inside {
  readonly version: string;
  /** License of the package itself, if it contains no license text. */
  readonly own?: string;
  /** URL of the sources, if its license requires one. */
  readonly source?: string;
  readonly parts: readonly Part[];
}

const musl = { name: 'musl', text: 'musl.txt' };
const llvm = 'llvm.txt';

/** The keychain library is one package per system; each lists its components, but not its license. */
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
