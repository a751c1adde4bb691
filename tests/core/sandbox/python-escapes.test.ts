/** The Python code cannot get out: no files, no network, no processes, no environment, nothing of the host. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Harness } from './sandbox-harness.ts';

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

const escapes: [string, string][] = [
  ['open', `open(${file}).read()`],
  ['open for writing', `open(${JSON.stringify(join(folder, 'new.txt'))}, "w").write("x")`],
  ['pathlib', `from pathlib import Path\nPath(${file}).read_text()`],
  ['pathlib for writing', `from pathlib import Path\nPath(${JSON.stringify(join(folder, 'new.txt'))}).write_text("x")`],
  ['a listing', `from pathlib import Path\nlist(Path(${JSON.stringify(folder)}).iterdir())`],
  ['os.listdir', `import os\nos.listdir(${JSON.stringify(folder)})`],
  ['os.environ', 'import os\nos.environ["TOOLTRAY_TEST_SECRET"]'],
  ['os.getenv', 'import os\nos.getenv("TOOLTRAY_TEST_SECRET")'],
  ['os.system', 'import os\nos.system("id")'],
  ['os.getcwd', 'import os\nos.getcwd()'],
  ['__import__', '__import__("os").system("id")'],
  ['eval', 'eval("1")'],
  ['exec', 'exec("import os")'],
  ['compile', 'compile("1", "", "eval")'],
  ['__builtins__', '__builtins__["open"]'],
  ['globals', 'globals()'],
  ['the classes above a tuple', '().__class__.__bases__[0].__subclasses__()'],
  ['getattr with a dunder', 'getattr((), "__cl" + "ass__")'],
  ['the order of a type', 'type(1).__mro__'],
  ['a function and its globals', 'call_tool.__globals__'],
  ['a function and its code', 'call_tool.__code__'],
  ['a frame', 'try:\n    1 / 0\nexcept Exception as e:\n    t = e.__traceback__.tb_frame\nt'],
  ['a format text', '"{0.__class__}".format(1)'],
  ['loaded modules', 'import sys\nsys.modules'],
  ...['socket', 'subprocess', 'ctypes', 'importlib', 'builtins', 'gc', 'inspect', 'urllib.request', 'js'].map(
    (name): [string, string] => [`import ${name}`, `import ${name}`],
  ),
];

test.each(escapes)('%s leads nowhere', async (_name, code) => {
  const outcome = await harness.run(code, python);
  expect(outcome).toMatchObject({ ok: false, calls: 0, error: { message: expect.stringMatching(/Error/) as string } });
  expect(JSON.stringify(outcome)).not.toContain(secret);
  expect(readdirSync(folder)).toEqual(['secret.txt']);
});

test('errors tell nothing about this computer', async () => {
  const codes = [
    '__wait(99)',
    '__call_tool()',
    '__tools()',
    'await call_tool("reject")',
    'import sys\n[sys.version, sys.platform]',
  ];
  const facts = JSON.stringify(await Promise.all(codes.map((code) => harness.run(code, python))));
  expect(facts).not.toMatch(/file:|node_modules|src-main|\/work|\/home|\/tmp|monty-/);
});

test('the functions of the host are bound by the same limits however they are reached', async () => {
  const code =
    'for i in range(100):\n    __call_tool("echo")\nfor i in range(200):\n    try:\n        __wait(i)\n    except Exception: pass\n1';
  const { calls } = await harness.run(code, { ...python, limits: { calls: 10 } });
  expect(calls).toBe(10);
});

test('odd texts arrive as they are', async () => {
  const odd = '\u0000\u{1f600}\u2028\u{10ffff}"\\\n\u202e__proto__';
  expect(await harness.value(`await call_tool("echo", {"__proto__": ${JSON.stringify(odd)}})`, python)).toEqual(
    JSON.parse(`{"__proto__":${JSON.stringify(odd)}}`),
  );
});
