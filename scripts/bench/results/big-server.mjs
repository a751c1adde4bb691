/**
 * An MCP server whose tool `make` answers with as many bytes as it is asked for: {kind: 'json' | 'text' | 'image',
 * bytes}.
 */
import { once } from 'node:events';
import { eachLine } from '../lines.mjs';
import { pieceOf } from './made-up.mjs';

const openings = {
  json: '{"type":"text","text":"[',
  text: '{"type":"text","text":"',
  image: '{"type":"image","mimeType":"image/png","data":"',
};
const tools = [{ name: 'make', description: 'Makes a long answer.', inputSchema: { type: 'object' } }];

/** One after the other: what is answered meanwhile must not land inside of a long answer. */
let last = Promise.resolve();
eachLine(process.stdin, (line) => (last = last.then(() => answer(JSON.parse(line)))));

async function answer({ id, method, params }) {
  if (method === 'initialize') reply(id, introduction(params));
  else if (method === 'tools/list') reply(id, { tools });
  else if (method === 'tools/call') await make(id, params.arguments);
  else if (id !== undefined) reply(id, {});
}

function introduction({ protocolVersion }) {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'big', version: '1.0.0' } };
}

function reply(id, result) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}

/** In pieces that are made once: what is measured is the core. */
async function make(id, { kind, bytes }) {
  const piece = JSON.stringify(pieceOf(kind)).slice(1, -1);
  await write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[${openings[kind]}`);
  for (let written = 0; written < bytes; written += piece.length) await write(piece);
  await write(`${kind === 'json' ? '0]' : ''}"}]}}\n`);
}

async function write(text) {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
