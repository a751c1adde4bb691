/** Hands for modes that list what there is: proxy and gateway. */
import { serverIn, toolsInSentence } from '../shown-tools.mjs';
import { Hand } from './hand.mjs';

export class ProxyHand extends Hand {
  isAllShown = true;

  async begin() {
    this.offered = this.session.tools.map(({ name, description = '', inputSchema }) => ({
      name,
      server: serverIn(name, this.servers),
      text: description,
      parameters: JSON.stringify(inputSchema),
    }));
  }

  call({ name }, args) {
    return this.session.call(name, args);
  }
}

/** A tool that stands for a server says in its description what the server can do; what it leaves out is looked up. */
export class GatewayHand extends Hand {
  async begin() {
    for (const { name, description = '', inputSchema } of this.session.tools) {
      if (inputSchema?.properties?.tool === undefined) continue;
      this.offered.push(
        ...toolsInSentence(description, name.replace(/^srv_/, '')).map((tool) => ({ ...tool, via: name })),
      );
    }
  }

  async look({ server }) {
    if (server === undefined || this.session.tool('list_all_tools') === undefined) return;
    const { text } = await this.session.call('list_all_tools', { server });
    this.note(text, server);
    for (const tool of this.offered) tool.via ??= this.#standIn(tool.server);
  }

  async schemas(tools) {
    for (const tool of tools) {
      const { text } = await this.session.call('get_tool_schema', { name: `${tool.server}:${tool.name}` });
      this.learn(tool, text);
    }
  }

  call({ name, via }, args) {
    return this.session.call(via, { tool: name, arguments: args });
  }

  #standIn(server) {
    return this.session.tools.find(({ name }) => name === server || name === `srv_${server}`)?.name;
  }
}
