/** One line of progress per stage of the set-up, with the time it took. */
import { spawn } from 'node:child_process';
import process from 'node:process';

const tickMs = 1_000;

/**
 * Shows `label` while `work` runs and how long it took. On a terminal the line counts the seconds; elsewhere it is
 * printed when the stage begins and again when it ends.
 */
export async function stage(label, work) {
  const startedAt = Date.now();
  const elapsed = () => `${Math.round((Date.now() - startedAt) / 1_000)} s`;
  const { stderr } = process;
  if (!stderr.isTTY) stderr.write(`${label} …\n`);
  const show = () => stderr.write(`\r\u001B[K${label} … ${elapsed()}`);
  const timer = stderr.isTTY ? setInterval(show, tickMs) : undefined;
  if (stderr.isTTY) show();
  let isDone = false;
  try {
    const result = await work();
    isDone = true;
    return result;
  } finally {
    clearInterval(timer);
    stderr.write(`${stderr.isTTY ? '\r\u001B[K' : ''}${label}: ${isDone ? 'done' : 'failed'} (${elapsed()})\n`);
  }
}

/**
 * Runs a program without showing what it prints; that is shown only where it fails, and with `isQuiet` not then.
 * Resolves with the exit code.
 */
export function runQuietly(command, args, { isQuiet = false, ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code !== 0 && !isQuiet) process.stderr.write(`\n${Buffer.concat(output).toString()}`);
      resolve(code ?? 1);
    });
  });
}
