/**
 * `npm run check`: format, lint, types, and documents at once, each told when it has ended; fails when one of them
 * does.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const checks = [
  // Lint and types of all plain sources.
  ['oxlint', '.'],
  // The page's components: their rules and types are ESLint's and Svelte's own.
  ['eslint', '--cache', '--cache-location', 'node_modules/.cache/eslint/', '--max-warnings', '0', 'src-renderer'],
  ['svelte-check', '--tsconfig', 'src-renderer/tsconfig.json', '--fail-on-warnings'],
  ['oxfmt', '--check', '.'],
  // Generated pages, banned words, line lengths, and links of the documents.
  ['node', 'scripts/docs/run.ts', '--check'],
  // The size and form of the sources.
  ['node', 'scripts/size/ceilings.ts'],
];

/**
 * oxlint's program for types is in Go and over in seconds: to collect what it drops costs a third of its time, and
 * spares a seventh of its memory. It does so beyond this limit alone.
 */
const env = { GOGC: 'off', GOMEMLIMIT: '4GiB', ...process.env };

const failed = (await Promise.all(checks.map(check))).filter(Boolean);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Answers the tool's name if it found something. npm has put the tools on PATH. */
function check([tool, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(tool, args, {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      console.log(`${tool === 'node' ? args[0] : tool}: ${code === 0 ? 'fine' : `exit ${code}`}`);
      process.stdout.write(Buffer.concat(output));
      resolve(code === 0 ? undefined : tool);
    });
  });
}
