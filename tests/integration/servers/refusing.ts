/**
 * A server whose tool `book` fails or succeeds depending on `day`: rejections in the ways of real servers, and other
 * failures.
 */
import { send, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const failure = (text: string): object => ({
  content: [{ type: 'text', text }],
  isError: true,
  hint: 7,
  _meta: { a: 1 },
});
const inputSchema = {
  type: 'object',
  properties: {
    day: { type: 'string', description: 'When the journey begins, in the words of the people who travel. Any.' },
    seats: { type: 'integer', minimum: 1 },
  },
  required: ['day', 'seats'],
};

serveRaw({
  name: 'refusing',
  listTools: () => ({ tools: [{ name: 'book', description: 'Books.', inputSchema }] }),
  call: ({ id, args, reply, say }) => {
    const error = (code: number, message: string): void => send({ id, error: { code, message, data: { at: 'day' } } });
    switch (args['day']) {
      case 'rpc':
        return error(-32602, 'bad day');
      case 'gone':
        return error(-32602, 'Tool book not found');
      case 'boom':
        return error(-32603, 'boom');
      case 'sdk':
        return reply(failure('MCP error -32602: Input validation error: Invalid arguments for tool book'));
      case 'full':
        return reply(failure('The train is full.'));
      default:
        return typeof args['seats'] === 'number' ? say('booked') : reply(failure('seats?'));
    }
  },
});
