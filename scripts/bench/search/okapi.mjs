/** The ranking of FastMCP and ToolMux, for comparison: BM25 Okapi over one text per tool, without stems or fields. */

const k1 = 1.5;
const b = 0.75;

export class Okapi {
  #documents;
  #averageLength;
  #postings = new Map();

  constructor(tools) {
    this.#documents = tools.map(({ id, ...tool }) => ({ id, length: tokensOf(textOf(tool)).length }));
    this.#averageLength = this.#documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, tools.length);
    tools.forEach((tool, number) => this.#count(tokensOf(textOf(tool)), number));
  }

  /** Ids, best first; equal scores keep the catalog's order. */
  search(query, limit) {
    const scores = new Float64Array(this.#documents.length);
    for (const token of tokensOf(query)) {
      const holders = this.#postings.get(token);
      if (holders === undefined) continue;
      const rarity = Math.log((scores.length - holders.size + 0.5) / (holders.size + 0.5) + 1);
      for (const [number, count] of holders) scores[number] += rarity * this.#saturate(count, number);
    }
    const found = [...scores.keys()].filter((number) => scores[number] > 0);
    found.sort((left, right) => scores[right] - scores[left] || left - right);
    return found.slice(0, limit).map((number) => this.#documents[number].id);
  }

  #count(tokens, number) {
    for (const token of tokens) {
      const holders = this.#postings.get(token) ?? new Map();
      holders.set(number, (holders.get(number) ?? 0) + 1);
      this.#postings.set(token, holders);
    }
  }

  #saturate(count, number) {
    const relative = this.#documents[number].length / this.#averageLength;
    return (count * (k1 + 1)) / (count + k1 * (1 - b + b * relative));
  }
}

/** Name, description, names of parameters and what is said of them. */
function textOf({ name, description, inputSchema }) {
  const parameters = Object.entries(inputSchema?.properties ?? {});
  return [name, description, ...parameters.flatMap(([parameter, schema]) => [parameter, schema?.description])]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

function tokensOf(text) {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((token) => token.length > 1);
}
