/** `npm run check`: format, lint and types at once, each told when it has ended; fails when one of them does. */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const lint = (name) => [
  'eslint',
  '--cache',
  '--cache-location',
  `node_modules/.cache/eslint/${name}`,
  '--max-warnings',
  '0',
];
const checks = [
  // In two: this one takes as long as all others together, and one process uses one core.
  [...lint('all'), '--ignore-pattern', 'src-renderer/', '.'],
  [...lint('page'), 'src-renderer'],
  ['svelte-check', '--tsconfig', './tsconfig.json', '--fail-on-warnings'],
  ['prettier', '--check', '--cache', '--log-level', 'warn', '.'],
];

const failed = (await Promise.all(checks.map(check))).filter(Boolean);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Answers the tool's name if it found something. npm has put the tools on PATH. */
function check([tool, ...args], index) {
  return new Promise((resolve, reject) => {
    const child = spawn(tool, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    // The longest has a core of two to itself, the others share the rest: all end at about the same time.
    if (index > 0 && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      console.log(`${tool}: ${code === 0 ? 'fine' : `exit ${code}`}`);
      process.stdout.write(Buffer.concat(output));
      resolve(code === 0 ? undefined : tool);
    });
  });
}
