/** A web API as an MCP server in this process: each operation of its OpenAPI description is a tool. */
import { InMemoryTransport, Server } from '@modelcontextprotocol/server';
import { toAppError } from '../../base/errors.ts';
import { isObject, textOrEmpty } from '../../base/json.ts';
import type { OpenApiSource } from '../../config/server-config.ts';
import { HttpFetch, type HttpFetchOptions } from '../network/http-fetch.ts';
import { type ApiOptions, callOperation } from './call-operation.ts';
import type { ApiDescription } from './description-worker.ts';
import { readDescription } from './read-description.ts';

/** How to reach the API, secrets filled in. */
interface ApiAccess extends Pick<HttpFetchOptions, 'env' | 'network'> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
}

/** Maximum size of a response, in bytes: it is handled in the core's thread. */
const maxResponseBytes = 8 * 1024 * 1024;

/** Maximum length of the API's own description in the instructions, in characters. */
const maxInstructions = 2000;

/**
 * Reads the description and starts the server. Returns the client's end of its connection, not started yet; closing it
 * ends the server. Rejects with AppError `config_invalid` or `server_unreachable`.
 */
export async function connectOpenApi(
  { url, headers, env, network, maxMessageBytes }: ApiAccess,
  { spec, operations: wanted }: OpenApiSource,
): Promise<InMemoryTransport> {
  const http = new HttpFetch({ env, network, maxDecodedBytes: maxMessageBytes });
  try {
    const description = await readDescription(spec, wanted, http.fetch);
    const options = { url, headers, maxBytes: Math.min(maxMessageBytes, maxResponseBytes), fetch: http.fetch };
    const server = createServer(description, options);
    server.onclose = () => http.close();
    const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
    server.connect(serverEnd).catch(() => serverEnd.close());
    return clientEnd;
  } catch (error) {
    http.close();
    throw error;
  }
}

function createServer({ info, operations }: ApiDescription, options: ApiOptions): Server {
  const { title, version, description } = info;
  const server = new Server(
    { name: textOrEmpty(title) || 'openapi', version: textOrEmpty(version) || '0' },
    {
      capabilities: { tools: {} },
      ...(typeof description === 'string' && { instructions: description.slice(0, maxInstructions) }),
    },
  );
  const byName = new Map(operations.map((operation) => [operation.tool.name, operation]));
  server.setRequestHandler('tools/list', () => ({ tools: operations.map(({ tool }) => tool) as never }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const operation = byName.get(params.name);
    if (operation === undefined) return failed(`There is no operation ${JSON.stringify(params.name)}.`);
    try {
      const args = isObject(params.arguments) ? params.arguments : {};
      return (await callOperation(operation, args, options, context.mcpReq.signal)) as never;
    } catch (error) {
      const { message, fix } = toAppError(error);
      return failed(fix === undefined ? message : `${message} ${fix}`);
    }
  });
  return server;
}

function failed(text: string): { content: { type: 'text'; text: string }[]; isError: true } {
  return { content: [{ type: 'text', text }], isError: true };
}
