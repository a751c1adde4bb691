/**
 * What a careful model does in each mode to use a tool it has not used before: it follows the instructions, looks up
 * what it has not been shown, and calls. `begin` is done once, `use` for each tool.
 */

const nothing = async () => undefined;

const proxy = {
  begin: nothing,
  use: (session, use) => session.use(listedName(session, use), use.args),
};

/** The list says which tools a server has and what they need; what it leaves out is looked up. */
const gateway = {
  begin: nothing,
  async use(session, { server, tool, args }) {
    const { name, description } = session.tools.find((one) => one.name === server || one.name === `srv_${server}`);
    if (!description.includes(tool)) await session.lookUp('list_all_tools', { server });
    const shown = Object.entries(args).every(([key, value]) => typeof value !== 'object' && description.includes(key));
    if (!shown) await session.lookUp('get_tool_schema', { name: `${server}:${tool}` });
    await session.use(name, { tool, arguments: args });
  },
};

const meta = {
  begin: (session) => session.lookUp('list_all_tools', {}),
  async use(session, { server, tool, args }) {
    await session.lookUp('get_tool_schema', { name: `${server}:${tool}` });
    await session.use('invoke', { name: `${server}:${tool}`, args });
  },
};

const search = {
  begin: nothing,
  async use(session, { server, tool, args, query }) {
    await session.search('search_tools', {}, query, tool);
    await session.use('call_tool', { name: `${server}:${tool}`, arguments: args });
  },
};

const code = {
  begin: nothing,
  async use(session, { server, tool, args, query }) {
    const name = `${server}:${tool}`;
    await session.search('search', {}, query, tool);
    await session.lookUp('get_schema', { tools: [name] });
    await session.use('execute', { code: `return await call_tool(${JSON.stringify(name)}, ${JSON.stringify(args)})` });
  },
};

const dispatch = {
  begin: nothing,
  async use(session, { server, tool, args, query }) {
    await session.search('proxy-dispatch', { action: 'search' }, query, tool);
    await session.use('proxy-dispatch', { action: 'call', connection: server, tool, arguments: args });
  },
};

/** Nothing to search with: the servers' lists are read, each when it is needed first. */
const universal = {
  begin: nothing,
  async use(session, { server, tool, args }) {
    session.read ??= new Set();
    if (!session.read.has(server)) {
      session.read.add(server);
      await session.lookUp('proxy', { action: 'list', type: 'tool', filter_server: server });
    }
    await session.use('proxy', { action: 'call', type: 'tool', path: `${server}:${tool}`, args });
  },
};

const retrieve = {
  begin: nothing,
  async use(session, { server, tool, args, query }) {
    const id = `${server}:${tool}`;
    const text = await session.search('retrieve_tools', {}, query, id);
    const variant = JSON.parse(text).tools.find((one) => (one.id ?? one.name) === id)?.call_with;
    await session.use(variant ?? 'call_tool_destructive', { name: id, args });
  },
};

export const modeScripts = { proxy, gateway, meta, search, code, dispatch, universal, retrieve };

function listedName({ tools }, { server, tool }) {
  const names = tools.map(({ name }) => name);
  const prefixed = names.find((name) => name.startsWith(`${server}_`) && name.endsWith(tool));
  return prefixed ?? names.find((name) => name === tool);
}
