/** Mode `code`: the model looks tools up, and writes a program that calls them; only what the program returns comes back. */
import { codeExecution } from './code/code-execution.ts';
import { execute } from './code/execute.ts';
import { getSchema } from './code/get-schema.ts';
import { searchCode } from './code/search-tool.ts';
import type { HelperTool, Mode, ModeView } from './mode.ts';
import { namedServers } from './named-servers.ts';

export const codeMode: Mode = {
  name: 'code',
  line: 'Three tools: search, read schemas, run code',
  helpers: [searchCode, getSchema, execute],
  fixedList: true,
  listed: () => [],
  callLine: (tool, args) => `execute with return await call_tool("${tool}", ${JSON.stringify(args)})`,
  instructions,
};

/** MCPProxy's way in, callable in every mode. */
export const codeTools: readonly HelperTool[] = [codeExecution];

function instructions({ catalog }: ModeView): string {
  return `Search before saying that something cannot be done; get_schema; then execute Python or JavaScript that awaits call_tool(name, args) and returns what is needed. Tools of: ${namedServers(catalog.servers)}.`;
}
