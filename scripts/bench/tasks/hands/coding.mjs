/** The hands for the modes with programs in JavaScript: code, and auto for a large catalog. */
import { severalIn } from '../several.mjs';
import { Hand } from './hand.mjs';

/** What call_tool resolves to is not the same for every server: a careful program takes either. */
const readText = 'const text = (v) => (typeof v === "string" ? v : (v.content ?? JSON.stringify(v)));';

export class CodeHand extends Hand {
  /** A program sifts answers before anybody reads them. */
  canSift = true;

  async lookForAll(queries) {
    const several = severalIn(this.takes('search'), this.introduction);
    if (several !== undefined) await this.#search(several(queries), queries);
    return several !== undefined;
  }

  look(_need, query) {
    return this.#search({ query });
  }

  async schemas(tools) {
    const names = tools.map(({ name }) => name);
    const { text } = await this.session.call('get_schema', { tools: names });
    for (const tool of tools) this.learn(tool, text);
  }

  async wholeSchemas(tools) {
    const { text } = await this.session.call('get_schema', { tools: tools.map(({ name }) => name), detail: 'full' });
    for (const tool of tools) this.learn(tool, text);
  }

  call(tool, args) {
    return this.run(`return await ${calling(tool, args)}`);
  }

  async together(calls) {
    if (calls.length === 1) return [await this.call(calls[0].tool, calls[0].args)];
    const answer = await this.run(programOf(calls));
    return calls.map(() => answer);
  }

  run(code) {
    return this.session.call('execute', { code });
  }

  /** The files of a folder that contain a word. */
  filesWith({ list, read }, folder, word) {
    const lines = [
      readText,
      `const dir = ${JSON.stringify(folder)};`,
      `const names = text(await call_tool(${JSON.stringify(list.name)}, {path: dir})).match(/\\S+\\.txt/g);`,
      'const hits = [];',
      `for (const n of names) if (text(await call_tool(${JSON.stringify(read.name)}, {path: dir + "/" + n})).includes(${JSON.stringify(word)})) hits.push(n);`,
      'return hits',
    ];
    return this.run(lines.join('\n'));
  }

  /** The row of a JSON file under `rows` that has this name. */
  rowNamed(read, file, name) {
    const lines = [
      readText,
      `const {rows} = JSON.parse(text(await ${calling(read, { path: file })}));`,
      `return rows.find((r) => r.name === ${JSON.stringify(name)})`,
    ];
    return this.run(lines.join('\n'));
  }

  async #search(args, queries) {
    const { text } = await this.session.call('search', args);
    this.noteSearch(text, queries);
  }
}

/** `auto`: single calls by call_tool, programs where the instructions say that they are cheaper. */
export class AutoHand extends CodeHand {
  async schemas(tools) {
    for (const tool of tools) {
      const { text } = await this.session.call('search', { query: tool.name, detail: 'full', limit: 1 });
      this.learn(tool, text);
    }
  }

  /** `schemas` has already asked for the whole one. */
  async wholeSchemas() {}

  call({ name }, args) {
    return this.session.call('call_tool', { name, arguments: args });
  }

  /** Three or more calls are one program. Those that the tasks combine may write. */
  async together(calls) {
    if (calls.length < 3) return await Hand.prototype.together.call(this, calls);
    const answer = await this.session.call('execute', { code: programOf(calls), allow: 'write' });
    return calls.map(() => answer);
  }
}

/** A program that makes these calls in their order and returns the last result. */
function programOf(calls) {
  const first = calls.slice(0, -1).map(({ tool, args }) => `await ${calling(tool, args)};`);
  const { tool, args } = calls.at(-1);
  return [...first, `return await ${calling(tool, args)}`].join('\n');
}

function calling({ name }, args) {
  return `call_tool(${JSON.stringify(name)}, ${JSON.stringify(args)})`;
}
