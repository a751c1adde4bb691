/**
 * Imports, adds and validates the file of each dialect: `node ways-in.fixture.ts <folder>`. Prints a line of JSON per
 * dialect. One process, because a start of the command line for each would take longer than the commands.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { runArguments } from '../../../src-main/cli/run-command.ts';
import { writers } from '../../core/config/dialects/writers.ts';

const [folder = ''] = process.argv.slice(2);
const write = process.stdout.write.bind(process.stdout);

async function answer(input: string, ...args: string[]): Promise<unknown> {
  let out = '';
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  process.stdout.write = (text: string | Uint8Array) => {
    out += String(text);
    return true;
  };
  try {
    await runArguments([...args, '--json']);
  } finally {
    process.stdout.write = write;
  }
  return JSON.parse(out);
}

for (const writer of writers) {
  const file = join(folder, writer.id.replace(/\W+/g, '-'), writer.file);
  const text = writer.text({
    local: { ...writer.command('npx', ['-y', 'pkg', '--flag', 'a b'], { KEY: 'v1' }), ...writer.onlyTools },
    net: { ...writer.address('https://a.example/mcp', { 'X-Key': 'v2' }), ...writer.off },
  });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const imported = await answer('', 'import', '--file', file, '--dry-run');
  const added = await answer(text, 'add', '-', '--dry-run');
  const used = await answer('', 'config', 'validate', '--config', file);
  write(`${JSON.stringify({ id: writer.id, imported, added, used })}\n`);
}
