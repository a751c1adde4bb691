/** The generated pages of docs/reference, formatted like the others. */
import { readFileSync } from 'node:fs';
import { format, type FormatOptions } from 'oxfmt';
import { cliReference } from './cli-reference.ts';
import { configReference } from './config-reference.ts';
import { errorReference } from './error-reference.ts';
import { metricsReference } from './metrics-reference.ts';

const { printWidth, singleQuote } = JSON.parse(
  readFileSync(new URL('../../.oxfmtrc.json', import.meta.url), 'utf8'),
) as Required<Pick<FormatOptions, 'printWidth' | 'singleQuote'>>;

/** Path from the root, and text. */
export async function generatedPages(): Promise<readonly (readonly [path: string, text: string])[]> {
  const texts = {
    'docs/reference/cli.md': await cliReference(),
    'docs/reference/configuration.md': configReference(),
    'docs/reference/error-codes.md': errorReference(),
    'docs/reference/metrics.md': metricsReference(),
  };
  return Promise.all(Object.entries(texts).map(async ([path, text]) => [path, await formatted(path, text)] as const));
}

async function formatted(path: string, text: string): Promise<string> {
  const { code, errors } = await format(path, text, { printWidth, singleQuote });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  return code;
}
