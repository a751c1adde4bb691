/** `execute`: runs a program; what it returns is the answer. */
import { AppError } from '../../base/errors.ts';
import type { SandboxError, SandboxOutcome } from '../../sandbox/sandbox-request.ts';
import type { HelperTool } from '../mode.ts';
import { readLanguage, runCode } from './run-code.ts';

export const execute: HelperTool = {
  definition: {
    name: 'execute',
    description:
      'Run Python, JavaScript or TypeScript with await call_tool(name, args) and call_tools([{name, args}]); only what it returns comes back. Failed calls throw. 30 s, 50 calls, no network.',
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string' }, language: { enum: ['python', 'javascript', 'typescript'] } },
      required: ['code'],
    },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  spills: true,
  async run(input, context) {
    const { code } = input;
    if (typeof code !== 'string')
      throw new AppError('bad_request', 'There is no code to run.', { fix: 'Give it as "code".' });
    const language = readLanguage(input['language']);
    if (language === null) {
      throw new AppError('bad_request', `Code in ${JSON.stringify(input['language'])} cannot be run here.`, {
        fix: 'Write Python, JavaScript or TypeScript.',
      });
    }
    const outcome = await runCode({ code, language, globals: 'execute', via: 'execute' }, context);
    const printed =
      outcome.console.length === 0 ? [] : [{ type: 'text', text: `Printed:\n${outcome.console.join('\n')}` }];
    const rest = [...printed, ...readAsNote(outcome.readAs)];
    if (!outcome.ok) return { content: [{ type: 'text', text: errorLine(outcome.error) }, ...rest], isError: true };
    return { content: [{ type: 'text', text: valueText(outcome.value) }, ...rest] };
  },
};

/** Where nobody named the language and both parsers took the code. */
function readAsNote(readAs: SandboxOutcome['readAs']): { type: string; text: string }[] {
  if (readAs === undefined) return [];
  const [is, other] = readAs === 'python' ? ['Python', 'JavaScript'] : ['JavaScript', 'Python'];
  return [{ type: 'text', text: `(Read as ${is}, though it is ${other} as well; "language" decides.)` }];
}

function valueText(value: unknown): string {
  if (value === undefined) return '(nothing was returned)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function errorLine({ code, message, line, column }: SandboxError): string {
  const place = line === undefined ? '' : ` at line ${line}${column === undefined ? '' : `, column ${column}`}`;
  return `${code}${place}: ${message}`;
}
