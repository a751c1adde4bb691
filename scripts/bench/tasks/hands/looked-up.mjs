/** Hands for modes in which a model reads lists: meta and universal. */
import { severalIn } from '../several.mjs';
import { Hand } from './hand.mjs';

/** The catalog is read once, whole, unless it can be asked. */
export class MetaHand extends Hand {
  async begin() {
    if (this.#asks()) return;
    await this.#catalog({});
    this.isAllShown = true;
  }

  async lookForAll(queries) {
    const several = severalIn(this.takes('catalog_tools'), this.introduction);
    if (several !== undefined) await this.#catalog(several(queries), queries);
    return several !== undefined;
  }

  async look(_need, query) {
    if (this.#asks()) await this.#catalog({ query });
  }

  async schemas(tools) {
    const isPlural = this.takes('get_tool_schema').tools !== undefined;
    const asks = isPlural ? [{ tools: tools.map(({ name }) => name) }] : tools.map(({ name }) => ({ name }));
    for (const args of asks) {
      const { text } = await this.session.call('get_tool_schema', args);
      for (const tool of tools) if (args.tools !== undefined || args.name === tool.name) this.learn(tool, text);
    }
  }

  call({ name }, args) {
    return this.session.call('invoke', { name, args });
  }

  #asks() {
    const { query, queries } = this.takes('catalog_tools');
    return (query ?? queries) !== undefined;
  }

  async #catalog(args, queries) {
    const { text } = await this.session.call('catalog_tools', args);
    if (args.query === undefined && args.queries === undefined) this.note(text);
    else this.noteSearch(text, queries);
  }
}

/** Servers' lists are read, each when it is needed first; `batch` where the introduction speaks of it. */
export class UniversalHand extends Hand {
  #read = new Set();

  async lookForAll(queries) {
    const several = severalIn(this.takes('proxy'), this.introduction);
    if (several !== undefined) await this.#search(several(queries), queries);
    return several !== undefined;
  }

  async look({ server }, query) {
    if (this.takes('proxy').query !== undefined) return this.#search({ query });
    // A task that names no server is looked for where its words point to.
    const wanted = server ?? 'utils';
    if (this.#read.has(wanted)) return;
    this.#read.add(wanted);
    const { text } = await this.session.call('proxy', { action: 'list', type: 'tool', filter_server: wanted });
    this.note(text, wanted);
  }

  async #search(args, queries) {
    const { text } = await this.session.call('proxy', { action: 'list', type: 'tool', ...args });
    this.noteSearch(text, queries);
  }

  async schemas(tools) {
    const asks = tools.map(({ name }) => ({ action: 'info', type: 'tool', path: name }));
    const texts = await this.#each(asks);
    for (const [at, { text }] of texts.entries()) this.learn(tools[at], text);
  }

  call({ name }, args) {
    return this.session.call('proxy', { action: 'call', type: 'tool', path: name, args });
  }

  together(calls) {
    return this.#each(calls.map(({ tool, args }) => ({ action: 'call', type: 'tool', path: tool.name, args })));
  }

  /** In one batch, whose answer is then that of each of them. */
  async #each(operations) {
    const isBatch = operations.length > 1 && /\bbatch\b/.test(this.introduction);
    if (isBatch) {
      const answer = await this.session.call('proxy', { action: 'batch', type: 'tool', operations });
      return operations.map(() => answer);
    }
    const answers = [];
    for (const operation of operations) answers.push(await this.session.call('proxy', operation));
    return answers;
  }
}
