/**
 * How a model acts in a mode: what it is offered, how it looks for tools, how it asks for a schema, how it calls. Each mode's hand
 * fills in what is its own; what all have in common is here.
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

  /** Before the first task. `queries`: what all tasks will need, for modes that say that several needs fit in one search. */
  async begin(_queries) {}

  /** Looks for a tool that `need` describes, in these words. */
  async look(_need, _query) {}

  /** Asks what these tools need, where the mode has something for it. */
  async schemas(_tools) {
    return false;
  }

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

  noteSearch(text) {
    const [first] = this.note(text);
    if (first !== undefined) this.firsts.push(first);
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

/** How a search takes several needs at once, as its definition says it; undefined where it takes one. */
export function severalIn(properties) {
  if (properties.queries !== undefined) return (queries) => ({ queries });
  const query = properties.query ?? {};
  const takesList = [query.type, ...(query.anyOf ?? []).map(({ type }) => type)].flat().includes('array');
  if (takesList) return (queries) => ({ query: queries });
  return undefined;
}
