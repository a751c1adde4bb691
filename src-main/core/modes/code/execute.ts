/** `execute`: runs a program; what it returns is the answer. */
import { AppError } from '../../base/errors.ts';
import type { SandboxError } from '../../sandbox/sandbox-request.ts';
import type { HelperTool } from '../mode.ts';
import { runCode } from './run-code.ts';

export const execute: HelperTool = {
  definition: {
    name: 'execute',
    description:
      'Run JavaScript, TypeScript or Python with await call_tool(name, args) and call_tools([{name, args}]); only what it returns comes back. Failed calls throw. 30 s, 50 calls, no network.',
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string' }, language: { enum: ['javascript', 'typescript', 'python'] } },
      required: ['code'],
    },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  spills: true,
  async run(input, context) {
    const { code, language } = input;
    if (typeof code !== 'string')
      throw new AppError('bad_request', 'There is no code to run.', { fix: 'Give it as "code".' });
    const outcome = await runCode({ code, language, globals: 'execute', via: 'execute' }, context);
    const printed =
      outcome.console.length === 0 ? [] : [{ type: 'text', text: `Printed:\n${outcome.console.join('\n')}` }];
    if (!outcome.ok) return { content: [{ type: 'text', text: errorLine(outcome.error) }, ...printed], isError: true };
    return { content: [{ type: 'text', text: valueText(outcome.value) }, ...printed] };
  },
};

function valueText(value: unknown): string {
  if (value === undefined) return '(nothing was returned)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function errorLine({ code, message, line, column }: SandboxError): string {
  const place = line === undefined ? '' : ` at line ${line}${column === undefined ? '' : `, column ${column}`}`;
  return `${code}${place}: ${message}`;
}
