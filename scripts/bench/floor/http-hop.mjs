/**
 * The floor over HTTP: a body is read and parsed, its id rewritten, passed to a child and answered in one piece,
 * nothing else. `node http-hop.mjs COMMAND ARGS…`; prints its port.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { eachLine } from '../lines.mjs';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let lastId = 0;

eachLine(child.stdout, (line) => {
  const message = JSON.parse(line);
  const asker = waiting.get(message.id);
  if (asker === undefined) return;
  waiting.delete(message.id);
  message.id = asker.id;
  const body = JSON.stringify(message);
  asker.response.writeHead(200, [
    'content-type',
    'application/json',
    'content-length',
    String(Buffer.byteLength(body)),
  ]);
  asker.response.end(body);
});

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (message.id === undefined) response.writeHead(202, ['content-length', '0']).end();
    else {
      const id = ++lastId;
      waiting.set(id, { response, id: message.id });
      message.id = id;
    }
    child.stdin.write(JSON.stringify(message) + '\n');
  });
});

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.on('SIGTERM', () => {
  child.kill();
  process.exit(0);
});
