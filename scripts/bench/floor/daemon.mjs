/**
 * The floor's back: any number of connections, one shared child, ids rewritten on the way there and back.
 * The least that a process between clients and a server can do. `node daemon.mjs SOCKET COMMAND ARGS…`
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { eachLine } from '../lines.mjs';

const [socketPath, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let lastId = 0;

eachLine(child.stdout, (line) => {
  const message = JSON.parse(line);
  const asker = waiting.get(message.id);
  if (asker === undefined) return;
  waiting.delete(message.id);
  message.id = asker.id;
  asker.socket.write(JSON.stringify(message) + '\n');
});

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  eachLine(socket, (line) => {
    const message = JSON.parse(line);
    if (message.id !== undefined) {
      const id = ++lastId;
      waiting.set(id, { socket, id: message.id });
      message.id = id;
    }
    child.stdin.write(JSON.stringify(message) + '\n');
  });
});

server.listen(socketPath, () => process.stdout.write('ready\n'));
process.on('SIGTERM', () => {
  child.kill();
  process.exit(0);
});
