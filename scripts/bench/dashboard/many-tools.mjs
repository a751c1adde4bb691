/**
 * An MCP server that lists a thousand tools, or as many as its argument says, each described in a few lines; none of
 * them is called.
 */
import { eachLine } from '../lines.mjs';

const tools = Array.from({ length: Number(process.argv[2] ?? 1000) }, (_, at) => ({
  name: `tool_${at}`,
  description: `Does thing ${at} to what it is given, and answers what came of it. `.repeat(3),
  inputSchema: { type: 'object', properties: { id: { type: 'string', description: `Which thing ${at}` } } },
}));

eachLine(process.stdin, (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize' ? introduction(params) : method === 'tools/list' ? { tools } : {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
});

function introduction({ protocolVersion }) {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'many-tools', version: '1.0.0' } };
}
