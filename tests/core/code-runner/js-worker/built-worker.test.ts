/** The bundled worker: minified, next to its engine. `npm test` builds it first. */
import { expect, test } from 'vitest';
import { Harness } from '../sandbox-harness.ts';

const harness = new Harness({}, { workerUrl: new URL('../../../../dist/js-runner-worker.js', import.meta.url) });

test('runs code in both styles in the built worker', async () => {
  const code = 'const r: { a: number } = await call_tool("echo", { a: 1 });\nconsole.log(r);\nreturn r';
  expect(await harness.run(code)).toMatchObject({ ok: true, value: { a: 1 }, console: ['{"a":1}'], calls: 1 });
  const blocking =
    'const slots = call_tools([{ server: "s", tool: "echo" }, { name: "fail" }]); slots.map((s) => s.ok)';
  expect(await harness.value(blocking, { globals: 'code_execution' })).toEqual([true, false]);
});

test('reports the line of an error in the built worker', async () => {
  expect(await harness.error('1;\nawait call_tool("fail", {})', { language: 'javascript' })).toMatchObject({
    line: 2,
    message: 'ToolError: the disk\nis full',
  });
});
