/** `magg_remove_server`, `magg_enable_server`, `magg_disable_server`. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';
import { type MaggAnswer, maggTool } from './magg-tool.ts';
import { requireText } from './read-input.ts';
import { requestChange } from './request-change.ts';
import { isMounted, requireServer } from './server-entry.ts';

const byName = { properties: { name: { type: 'string' } }, required: ['name'] };

export const removeServer = maggTool({
  name: 'magg_remove_server',
  description: 'Remove an MCP server.',
  ...byName,
  async run(input, context) {
    const { name } = requireServer(requireText(input, 'name'), context);
    const done = { action: 'server_removed', server: { name } };
    return { output: await requestChange({ kind: 'remove', server: name }, done, context) };
  },
});

export const enableServer = maggTool({
  name: 'magg_enable_server',
  description: 'Switch an MCP server on.',
  ...byName,
  run: (input, context) => switchServer(input, true, context),
});

export const disableServer = maggTool({
  name: 'magg_disable_server',
  description: 'Switch an MCP server off; its tools disappear.',
  ...byName,
  run: (input, context) => switchServer(input, false, context),
});

async function switchServer(input: JsonObject, on: boolean, context: HelperContext): Promise<MaggAnswer> {
  const { name, enabled } = requireServer(requireText(input, 'name'), context);
  const word = on ? 'enabled' : 'disabled';
  if (enabled === on) throw new AppError('bad_request', `Server '${name}' is already ${word}.`);
  const done = { action: `server_${word}`, server: { name } };
  const answer = await requestChange({ kind: on ? 'enable' : 'disable', server: name }, done, context);
  return { output: { ...answer, mounted: isMounted(requireServer(name, context)) } };
}
