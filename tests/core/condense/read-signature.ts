/** Parses a signature like a model: parameters, types, and limits as a schema; undefined if it is marked as lossy. */
import type { JsonObject } from '../../../src-main/core/base/json.ts';

/** `name(…)` or `(…)` or the parameters alone. */
export function readSignature(line: string): JsonObject | undefined {
  const start = line.indexOf('(');
  const isBare = start === -1 || !/^[\w.:-]*\($/.test(line.slice(0, start + 1));
  const reader = new Reader(isBare ? `${line})` : line.slice(start + 1));
  const schema = reader.members(')');
  return reader.leftOut ? undefined : schema;
}

class Reader {
  leftOut = false;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  members(close: string): JsonObject {
    const properties: [string, unknown][] = [];
    const required: string[] = [];
    let others: unknown;
    while (!this.#skip(close)) {
      if (this.#skip('~')) this.leftOut = true;
      else if (this.#skip('[key]: ')) others = this.type();
      else {
        const name = this.#match(/^"(?:[^"\\]|\\.)*"/) ?? this.#need(/^[^\s,:?~)}]+/);
        if (!this.#skip('?')) required.push(name.startsWith('"') ? (JSON.parse(name) as string) : name);
        const type = this.#skip(': ') || this.#skip(':') ? this.type() : { type: 'string' };
        properties.push([name.startsWith('"') ? (JSON.parse(name) as string) : name, type]);
      }
      this.#comma();
    }
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      required,
      additionalProperties: others ?? false,
    };
  }

  type(): JsonObject {
    const types = [this.#piece()];
    while (this.#skip(' | ')) if (!this.#skip('…')) types.push(this.#piece());
    return types.length === 1 ? (types[0] as JsonObject) : { anyOf: types };
  }

  #piece(): JsonObject {
    let schema = this.#primary();
    for (;;) {
      const count = this.#match(/^\[[^\]]*\]/);
      if (count !== undefined) schema = { type: 'array', items: schema, ...listLimits(count.slice(1, -1)) };
      else if (this.#skip('~')) this.leftOut = true;
      else return schema;
    }
  }

  #primary(): JsonObject {
    if (this.#skip('{')) return this.members('}');
    if (this.#skip('(')) {
      const inside = this.type();
      this.#need(/^\)/);
      return inside;
    }
    if (this.#skip('[')) {
      const places: JsonObject[] = [];
      while (!this.#skip(']')) {
        places.push(this.type());
        this.#comma();
      }
      return { type: 'array', prefixItems: places, items: false, minItems: places.length };
    }
    const value = this.#match(/^(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false)/i);
    if (value !== undefined) return { const: JSON.parse(value) as unknown };
    const word = this.#need(/^\w+/);
    const limits = this.#skip('(') ? this.#limits() : {};
    if (word === 'any') return {};
    return { type: word, ...(word === 'integer' || word === 'number' ? limits : textLimits(limits)) };
  }

  #limits(): JsonObject {
    const limits: JsonObject = {};
    while (!this.#skip(')')) {
      const pattern = this.#match(/^\/(?:[^/\\]|\\.)*\//);
      const range = pattern ?? this.#match(/^(?:>?-?[\d.e+]+?)?\.\.(?:<?-?[\d.e+]+)?(?=[,)])|^-?\d+(?=[,)])/);
      if (pattern !== undefined) limits['pattern'] = pattern.slice(1, -1);
      else if (range !== undefined) Object.assign(limits, rangeOf(range));
      else if (this.#skip('~')) this.leftOut = true;
      else limits['format'] = this.#need(/^[\w-]+/);
      this.#skip(', ');
    }
    return limits;
  }

  #comma(): void {
    if (!this.#skip(', ')) this.#skip(',');
  }

  #skip(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    const [found] = pattern.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += found?.length ?? 0;
    return found === '' ? undefined : found;
  }

  #need(pattern: RegExp): string {
    const found = this.#match(pattern);
    if (found === undefined)
      throw new SyntaxError(`${this.#text} is not read at ${this.#at}: ${this.#text.slice(this.#at)}`);
    return found;
  }
}

function rangeOf(range: string): JsonObject {
  const [low, high] = range.split('..');
  if (high === undefined) return { minimum: Number(low), maximum: Number(low) };
  return {
    ...(low !== '' && { [low?.startsWith('>') ? 'exclusiveMinimum' : 'minimum']: Number(low?.replace('>', '')) }),
    ...(high !== '' && { [high.startsWith('<') ? 'exclusiveMaximum' : 'maximum']: Number(high.replace('<', '')) }),
  };
}

function textLimits({ minimum, maximum, ...others }: JsonObject): JsonObject {
  return {
    ...others,
    ...(minimum !== undefined && { minLength: minimum }),
    ...(maximum !== undefined && { maxLength: maximum }),
  };
}

function listLimits(count: string): JsonObject {
  const parts = count.split(', ').filter((part) => part !== '');
  const range = parts.find((part) => part !== 'unique');
  const { minimum, maximum } = range === undefined ? {} : rangeOf(range);
  return {
    ...(minimum !== undefined && { minItems: minimum }),
    ...(maximum !== undefined && { maxItems: maximum }),
    ...(parts.includes('unique') && { uniqueItems: true }),
  };
}

/** Reads the text that get_schema of mode code returns for a tool as a schema; undefined if it is marked as lossy. */
export function readDetail(text: string): JsonObject | undefined {
  if (/^~ = omitted: detail "full" has it\./m.test(text)) return undefined;
  const [, list = ''] = text.split('**Parameters**\n');
  const members = list
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => {
      const [, name, type = '', needed] = /^- `(.*?)` \((.*?)(, required)?\)$/.exec(line) ?? [];
      if (name === undefined) return line.slice(2);
      return `${JSON.stringify(name)}${needed === undefined ? '?' : ''}: ${type}`;
    });
  return readSignature(`(${members.join(', ')})`);
}
