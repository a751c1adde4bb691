/** Where things lie that situations are made of. */
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** An entry that runs one of the tests' servers. */
export function fixture(name, ...args) {
  return { command: process.execPath, args: [join(root, 'tests/fixtures/servers', `${name}.ts`), ...args] };
}
