/**
 * How a model acts in a mode: what it is offered, how it looks for tools, how it asks for a schema, how it calls. Each
 * mode's hand fills in what is its own; what all have in common is here.
 */
import { showsNames, toolsIn } from '../shown-tools.mjs';

export class Hand {
  session;
  /** Names of servers, by which a model knows whose a tool is. */
  servers;
  /** Every tool that was shown, in the order of being shown. */
  offered = [];
  /** The first tool of each search. */
  firsts = [];
  /** Nothing more is shown by looking again. */
  isAllShown = false;

  constructor(session, servers) {
    this.session = session;
    this.servers = servers;
  }

  /** Before the first task. */
  async begin() {}

  /**
   * A search for all that the tasks will need, where the mode says that several needs fit in one; whether it was made.
   */
  async lookForAll(_queries) {
    return false;
  }

  /** Looks for a tool that `need` describes, in these words. */
  async look(_need, _query) {}

  /** Asks what these tools need, where the mode has something for it. */
  async schemas(_tools) {}

  /** Asks for what the usual answer has left out. */
  async wholeSchemas(_tools) {}

  /** `{text, isError}`. */
  async call(_tool, _args) {}

  /** Several calls whose order is kept; in one, where the mode has something for it. */
  async together(calls) {
    const answers = [];
    for (const { tool, args } of calls) answers.push(await this.call(tool, args));
    return answers;
  }

  /** Reads an answer that offers tools. `only`: of this server. */
  note(text, only) {
    const tools = toolsIn(text, { only, servers: this.servers });
    for (const tool of tools) this.#add(tool);
    return tools;
  }

  /**
   * Reads what a search found. `queries`: where it was for several, each of them is told with what was found for it.
   */
  noteSearch(text, queries = []) {
    const [first] = this.note(text);
    if (queries.length < 2) this.#addFirst(first);
    for (const part of partsAt(text, queries)) this.#addFirst(this.#firstNamed(part));
  }

  #addFirst(tool) {
    if (tool !== undefined) this.firsts.push(tool);
  }

  #firstNamed(text) {
    const places = this.offered.map((tool) => ({ tool, at: placeOf(tool.name, text) }));
    return places.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)[0]?.tool;
  }

  /** A tool that is shown again: it is known by whatever said more. */
  #add(tool) {
    const known = this.offered.find(
      (one) => one.name === tool.name && (one.server ?? tool.server) === (tool.server ?? one.server),
    );
    if (known === undefined) this.offered.push(tool);
    else Object.assign(known, { ...tool, parameters: joined(known.parameters, tool.parameters) });
  }

  /** Reads an answer about one tool. */
  learn(tool, text) {
    tool.parameters = joined(tool.parameters, text);
  }

  knows(tool, names) {
    return showsNames(tool, names);
  }

  /** Everything that the mode says of itself before the first call. */
  get introduction() {
    const { instructions, tools } = this.session;
    return [instructions, ...tools.map((tool) => JSON.stringify(tool))].join('\n');
  }

  /** The properties that a listed tool takes. */
  takes(name) {
    return this.session.tool(name)?.inputSchema?.properties ?? {};
  }
}

function joined(before, now) {
  return before === undefined ? now : now === undefined ? before : `${before}\n${now}`;
}

/** What follows each of these queries in a text, up to the next of them. */
function partsAt(text, queries) {
  const starts = queries
    .map((query) => text.indexOf(query))
    .filter((at) => at >= 0)
    .sort((a, b) => a - b);
  return starts.map((at, index) => text.slice(at, starts[index + 1]));
}

function placeOf(name, text) {
  return text.search(new RegExp(`(?<![\\w:-])${name}(?![\\w-])`));
}
