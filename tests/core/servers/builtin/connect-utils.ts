/** A real SDK client connected to the built-in server `utils`. */
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import type { UtilsOptions } from '../../../../src-main/core/servers/builtin/file-content.ts';
import { connectBuiltin } from '../../../../src-main/core/servers/builtin/utils-server.ts';

export interface Utils extends AsyncDisposable {
  readonly client: Client;
  call(name: string, input: Record<string, unknown>): Promise<CallToolResult>;
  /** The text blocks of a result; an error's are prefixed with `ERROR `. */
  text(name: string, input: Record<string, unknown>): Promise<string>;
}

export async function connectUtils(options: UtilsOptions): Promise<Utils> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(connectBuiltin('utils', options));
  const call: Utils['call'] = (name, input) => client.callTool({ name, arguments: input });
  const text: Utils['text'] = async (name, input) => {
    const { content, isError } = await call(name, input);
    const texts = content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`));
    return (isError === true ? 'ERROR ' : '') + texts.join('\n');
  };
  return { client, call, text, [Symbol.asyncDispose]: () => client.close() };
}
