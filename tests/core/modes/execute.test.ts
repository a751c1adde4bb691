/** `execute` runs programs in three languages, each call through the pipeline, and says so where Python is missing. */
import { afterAll, expect, test } from 'vitest';
import { codeExecution } from '../../../src-main/core/modes/code/code-execution.ts';
import { execute } from '../../../src-main/core/modes/code/execute.ts';
import { Sandbox } from '../../../src-main/core/sandbox/sandbox.ts';
import { helperContext } from './helper-context.ts';

const sandbox = new Sandbox();
const withoutPython = new Sandbox({ pythonUrl: new URL('file:///nowhere/python-worker.js') });
// Not spread: that would read what it refuses to give.
const context = Object.assign(helperContext([]), { sandbox });

afterAll(() => Promise.all([sandbox.close(), withoutPython.close()]));

test.each([
  ['JavaScript', 'return await call_tool("a", { b: true })'],
  ['TypeScript', 'const r: string = await call_tool("a", { b: true }); return r'],
  ['Python', 'r = await call_tool("a", {"b": True})\nreturn r'],
])('a call in %s goes through the pipeline and names where it came from', async (_name, code) => {
  context.calls.length = 0;
  const text = 'called a';
  expect(await execute.run({ code }, context)).toEqual({ content: [{ type: 'text', text }] });
  expect(context.calls).toEqual([{ tool: 'a', arguments: { b: true }, via: 'execute' }]);
});

test('what Python prints and where it fails is in the answer', async () => {
  const result = await execute.run({ code: 'print("one")\n1 / 0', language: 'python' }, context);
  expect(result).toMatchObject({
    content: [
      { type: 'text', text: 'RUNTIME_ERROR at line 2, column 1: ZeroDivisionError: division by zero' },
      { type: 'text', text: 'Printed:\none' },
    ],
    isError: true,
  });
});

test('where Python cannot be loaded, the answer says to write JavaScript', async () => {
  const elsewhere = Object.assign(helperContext([]), { sandbox: withoutPython });
  const run = execute.run({ code: 'print(1)', language: 'python' }, elsewhere);
  await expect(run).rejects.toMatchObject({
    code: 'unsupported',
    text: 'This is Python, which is not available on this computer. Write it in JavaScript.',
  });
});

test('a language that there is not is refused, and Python in the form of MCPProxy', async () => {
  const refused = { code: 'bad_request', fix: 'Write JavaScript, TypeScript or Python.' };
  await expect(execute.run({ code: '1', language: 'ruby' }, context)).rejects.toMatchObject(refused);
  const documented = { code: 'bad_request', fix: 'Write JavaScript or TypeScript.' };
  await expect(codeExecution.run({ code: '1', language: 'python' }, context)).rejects.toMatchObject(documented);
});
