/** Hands for modes in which a model searches for what it needs: search, dispatch and retrieve. */
import { severalIn } from '../several.mjs';
import { Hand } from './hand.mjs';

/** `search`: the tool that searches, and what else a search is told. */
class SearchingHand extends Hand {
  searcher;
  fixed = {};

  async lookForAll(queries) {
    const several = severalIn(this.takes(this.searcher), this.introduction);
    if (several !== undefined) await this.#search(several(queries), queries);
    return several !== undefined;
  }

  look(_need, query) {
    return this.#search({ query });
  }

  async #search(args, queries) {
    const { text } = await this.session.call(this.searcher, { ...this.fixed, ...args });
    this.noteSearch(text, queries);
  }
}

export class SearchHand extends SearchingHand {
  searcher = 'search_tools';

  /** One tool by its name, whole. */
  async schemas(tools) {
    for (const tool of tools) {
      const { text } = await this.session.call(this.searcher, { query: tool.name, detail: 'full', limit: 1 });
      this.learn(tool, text);
    }
  }

  call({ name }, args) {
    return this.session.call('call_tool', { name, arguments: args });
  }
}

export class DispatchHand extends SearchingHand {
  searcher = 'proxy-dispatch';
  fixed = { action: 'search' };

  async schemas(tools) {
    for (const tool of tools) {
      const args = { action: 'search', query: tool.name, includeInputSchema: true, limit: 1 };
      const { text } = await this.session.call(this.searcher, args);
      this.learn(tool, text);
    }
  }

  call({ name, server }, args) {
    const connection = server === undefined ? {} : { connection: server };
    return this.session.call(this.searcher, { action: 'call', ...connection, tool: name, arguments: args });
  }
}

export class RetrieveHand extends SearchingHand {
  searcher = 'retrieve_tools';

  async schemas(tools) {
    if (this.session.tool('describe_tool') === undefined) return;
    const properties = this.takes('describe_tool');
    const plural = ['names', 'ids', 'tools', 'tool_ids'].find((key) => properties[key] !== undefined);
    const [key = 'name'] = Object.keys(properties);
    const asks =
      plural === undefined ? tools.map(({ name }) => ({ [key]: name })) : [{ [plural]: tools.map(({ name }) => name) }];
    for (const args of asks) {
      const { text } = await this.session.call('describe_tool', args);
      for (const tool of tools) if (text.includes(tool.name)) this.learn(tool, text);
    }
  }

  /** Through the variant that the search names, else through the one that allows most. */
  call({ name, via = 'call_tool_destructive' }, args) {
    const key = this.takes(via).arguments === undefined ? 'args' : 'arguments';
    return this.session.call(via, { name, [key]: args });
  }
}
