/** A server that responds only once the file of its first argument exists; its tool `work` returns `worked`. */
import { existsSync } from 'node:fs';
import { anyTool, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const gate = process.argv[2] ?? '';

const timer = setInterval(() => {
  if (!existsSync(gate)) return;
  clearInterval(timer);
  serveRaw({ name: 'gated', listTools: () => ({ tools: [anyTool('work')] }), call: ({ say }) => say('worked') });
}, 20);
