/** Client for the conformance suite: the built command line connects to the server at the given URL. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliCommand } from './built-core.ts';
import { PrivateHome } from './private-home.ts';

using home = new PrivateHome();
const config = join(home.path, 'config.json');
writeFileSync(config, JSON.stringify({ mcpServers: { far: { url: process.argv.at(-1) } } }));
const { command, args } = cliCommand('test', 'far', '--config', config);
process.exitCode = spawnSync(command, args, { env: home.env, cwd: home.workFolder, stdio: 'inherit' }).status ?? 1;
