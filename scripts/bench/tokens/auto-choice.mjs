/** What mode `auto` picks for a client app, as `tooltray list` tells it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cli, shim } from '../places.mjs';
import { StdioClient } from '../stdio-client.mjs';

/** One that nobody knows, one that loads every tool, one with a window of a million, one that defers. */
export const autoApps = ['some-app', 'claude-ai', 'gemini-cli', 'claude-code'];

/** `capabilities`: what the app declares it can do. */
export async function modeOfAuto(core, flags, app, capabilities = {}) {
  const client = new StdioClient([process.execPath, shim, ...flags], core.home.env);
  try {
    await client.initialize(capabilities);
    await client.listTools();
    const args = [cli, 'list', '--json', '--config', core.home.config];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: core.home.env });
    return JSON.parse(stdout).sessions.find((session) => session.app === app);
  } finally {
    await client.close();
  }
}
