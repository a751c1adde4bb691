/** A recording proxy between a client app and a stdio server: `node stdio-tap.ts LOG COMMAND ARGS…`. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import process from 'node:process';

const [log = '', command = '', ...args] = process.argv.slice(2);
const copy = createWriteStream(log, { flags: 'a' });
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
for (const stream of [process.stdin, child.stdout]) stream.on('data', (chunk: Buffer) => copy.write(chunk));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('close', (code) => process.exit(code ?? 1));
