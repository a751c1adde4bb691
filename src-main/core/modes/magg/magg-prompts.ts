/** Magg's prompt `magg_configure_server`: has the model find out how a server is started, and add it. */
import type { JsonObject } from '../../base/json.ts';
import { rpcCode, RpcError } from '../../wire/message.ts';
import type { HelperContext } from '../mode.ts';
import type { OwnPrompt } from '../own-prompt.ts';

const configureServer: OwnPrompt = {
  definition: {
    name: 'magg_configure_server',
    description: 'Find out how an MCP server is started, and add it.',
    arguments: [
      { name: 'source', description: 'Address of its project or package', required: true },
      { name: 'server_name', description: 'What to call it', required: false },
    ],
  },
  get({ source, server_name: name }, context) {
    if (!isText(source)) {
      throw new RpcError(
        rpcCode.invalidParams,
        "The prompt magg_configure_server needs 'source', where the server comes from.",
      );
    }
    const text = [
      `Set up the MCP server from ${source.trim()}${isText(name) ? `, and call it "${name.trim()}"` : ''}.`,
      'Read there how it is started: a command line such as "npx -y PACKAGE" or "uvx PACKAGE", or the address of a server over HTTP. Note the environment variables it needs.',
      'Invent no value. Write a secret as ${env:NAME}, so that it is taken from the environment and is written down nowhere, and ask the person for what else you cannot know.',
      'Then call the tool magg_add_server with name, source, command or uri, and env where there is any. Tell the person if its answer says that they have to approve the change.',
      takenNames(context),
    ].join('\n');
    return {
      description: `Add the MCP server from ${source.trim()}`,
      messages: [{ role: 'user', content: { type: 'text', text } }],
    } satisfies JsonObject;
  },
};

export const maggPrompts: readonly OwnPrompt[] = [configureServer];

function takenNames({ admin }: HelperContext): string {
  const names = admin.list().map(({ name }) => name);
  return names.length === 0 ? 'No server is configured yet.' : `Names that are taken: ${names.join(', ')}.`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
