/** Python code cannot escape: it has no access to files, network, processes, environment, or host objects. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Harness } from '../sandbox-harness.ts';

const secret = 'a-secret-of-this-computer';
const folder = mkdtempSync(join(tmpdir(), 'escape-'));
const file = JSON.stringify(join(folder, 'secret.txt'));
writeFileSync(join(folder, 'secret.txt'), secret);
process.env['TOOLTRAY_TEST_SECRET'] = secret;
afterAll(() => {
  rmSync(folder, { recursive: true });
  delete process.env['TOOLTRAY_TEST_SECRET'];
});

const harness = new Harness();
const python = { language: 'python' } as const;

const unseal = 'import sys\nsys.meta_path.pop(0)\n';
const builtin = (name: string): string =>
  `import _imp, importlib.machinery\nm = _imp.create_builtin(importlib.machinery.ModuleSpec("${name}", None))\n_imp.exec_builtin(m)\n`;
const hostObject = 'import gc\nf = [o for o in gc.get_objects() if type(o).__name__ == "JsFinder"][0]\n';

const escapes: [string, string][] = [
  ['open', `open(${file}).read()`],
  ['open for writing', `open(${JSON.stringify(join(folder, 'new.txt'))}, "w").write("x")`],
  ['open for writing in its own files', 'open("/tmp/new.txt", "w")'],
  ['a flag that creates', 'import os\nos.open("/tmp/new.txt", os.O_CREAT | os.O_WRONLY)'],
  ['pathlib', `from pathlib import Path\nPath(${file}).read_text()`],
  ['pathlib for writing', `from pathlib import Path\nPath(${JSON.stringify(join(folder, 'new.txt'))}).write_text("x")`],
  ['a listing', `from pathlib import Path\nlist(Path(${JSON.stringify(folder)}).iterdir())`],
  ['os.listdir', `import os\nos.listdir(${JSON.stringify(folder)})`],
  ['a folder', 'import os\nos.mkdir("/tmp/new")'],
  ['a link', 'import os\nos.symlink("/", "/tmp/new")'],
  ['its own library, removed', 'import os\nos.remove("/lib/python314.zip")'],
  ['a temporary file', 'import tempfile\ntempfile.mkdtemp()'],
  ['os.environ', 'import os\nos.environ["TOOLTRAY_TEST_SECRET"]'],
  ['a fork', 'import os\nos.fork()'],
  ['a pipe', 'import os\nos.pipe()'],
  ['a signal', 'import os\nos.kill(os.getpid(), 9)'],
  ['the end of the process', 'import os\nos._exit(0)'],
  ['an abort', 'import os\nos.abort()'],
  ['a thread', 'import threading\nthreading.Thread(target=print).start()'],
  ['a socket behind the finder', `${unseal}import socket\nsocket.create_connection(("127.0.0.1", 80))`],
  ['a look-up of a name', `${unseal}import socket\nsocket.getaddrinfo("localhost", 80)`],
  ['a process behind the finder', `${unseal}import subprocess\nsubprocess.run(["id"])`],
  ['foreign functions behind the finder', `${unseal}import ctypes\nctypes.CDLL(None)`],
  ['a foreign function by its address', `${unseal}import ctypes\nctypes.CFUNCTYPE(None)(1)()`],
  ['the library of foreign functions', `${builtin('_ctypes')}m.dlopen(None, 0)`],
  ['a new bridge to JavaScript', `${builtin('_pyodide_core')}m.create_proxy(print)`],
  ['a leftover JavaScript object', `${hostObject}dir(f.jsproxies["js"])`],
  ['a member of a leftover JavaScript object', `${hostObject}f.jsproxies["js"].process`],
  ['code of JavaScript', `${hostObject}f.jsproxies["pyodide_js"]._module.run_js("process")`],
  ...['socket', 'subprocess', 'ctypes', 'multiprocessing', 'ssl', 'urllib.request', 'http.client', 'js', 'pyodide'].map(
    (name): [string, string] => [`import ${name}`, `import ${name}`],
  ),
];

test.each(escapes)('blocks %s', async (_name, code) => {
  const outcome = await harness.run(code, python);
  const message = expect.stringMatching(
    /Error|The code tried to leave the sandbox\. Use call_tool\(name, args\)\./,
  ) as string;
  expect(outcome).toMatchObject({ ok: false, calls: 0, error: { message } });
  expect(JSON.stringify(outcome)).not.toContain(secret);
  expect(readdirSync(folder)).toEqual(['secret.txt']);
});

test("shows only the engine's own files, environment and modules", async () => {
  const code = `import os, sys
return {
    "files": sorted(os.path.join(at, name) for at, _, names in os.walk("/") for name in names if not at.startswith("/proc")),
    "environ": sorted(os.environ), "system": os.system("id"), "cwd": os.getcwd(), "python": [sys.executable, sys.platform],
    "modules": [name for name in sys.modules if "js" in name.split("_") or "pyodide" in name],
}`;
  expect(await harness.value(code, python)).toEqual({
    files: [
      ...['/dev/null', '/dev/random', '/dev/stderr', '/dev/stdin', '/dev/stdout', '/dev/tooltray', '/dev/tty'],
      ...['/dev/tty1', '/dev/urandom', '/lib/python314.zip'],
    ],
    environ: ['HOME', 'LANG', 'LD_LIBRARY_PATH', 'LOGNAME', 'PATH', 'PWD', 'PYTHONINSPECT', 'USER', '_'],
    system: -1,
    cwd: '/',
    python: ['', 'emscripten'],
    modules: [],
  });
});

test('reveals nothing about the local computer in errors', async () => {
  const codes = [
    'call_tool()',
    'open("x")',
    'import sys, os\n[sys.version, sys.platform, sys.path, sys.argv, sys.orig_argv, dict(os.environ), sys.prefix]',
    'import traceback\ntry:\n    1 / 0\nexcept Exception:\n    r = traceback.format_exc()\nr',
    `${hostObject}f.jsproxies["js"].x`,
  ];
  const facts = JSON.stringify(await Promise.all(codes.map((code) => harness.run(code, python))));
  expect(facts).not.toMatch(/file:|node_modules|src-main|\/work|\/home\/|\/root|pyodide\.asm/);
});

test('limits code that writes to the host device directly', async () => {
  const code = `import os\nfd = os.open("/dev/tooltray", os.O_RDWR)
for text in (b"", b"{", b"[1]", b'{"kind":"question","id":"x","what":"call","text":1}', b'{"kind":"wait","ms":0}', b"\\xff"):
    os.write(fd, text)
    os.read(fd, 10)
for i in range(100):
    os.write(fd, b'{"kind":"question","id":%d,"what":"call","carries":true}' % (1000 + i))
    os.write(fd, b'{"name":"echo","args":{}}')
os.write(fd, b'{"kind":"done","carries":true}')
os.write(fd, b'[1, 2]')
5`;
  expect(await harness.run(code, { ...python, limits: { calls: 10 } })).toMatchObject({
    ok: true,
    value: [1, 2],
    calls: 10,
  });
});

test('passes on unusual characters unchanged', async () => {
  const odd = '\u0000\u{1f600}\u2028\u{10ffff}"\\\n\u202e__proto__';
  expect(await harness.value(`await call_tool("echo", {"__proto__": ${JSON.stringify(odd)}})`, python)).toEqual(
    JSON.parse(`{"__proto__":${JSON.stringify(odd)}}`),
  );
});
