/** Edits a YAML text at positions from its parser, in the layout of the text. */
import { isNode, type Pair, type Scalar, stringify, type YAMLMap } from 'yaml';
import { cannotEditError } from './config-format.ts';

type Members = Readonly<Record<string, unknown>>;

export class YamlText {
  readonly text: string;
  readonly #eol: string;

  constructor(text: string) {
    this.text = text;
    this.#eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  }

  /** Appends at the end of the document, which may contain only comments. */
  append(members: Members): string {
    const gap = this.text === '' || this.text.endsWith('\n') ? '' : this.#eol;
    return this.text + gap + this.#block(members, 0);
  }

  /** Inserts after the last member of a map. */
  insert(map: YAMLMap, members: Members): string {
    const last = map.items.at(-1) as Pair<Scalar> | undefined;
    if (map.flow === true) return this.#insertFlow(map, last, members);
    if (last === undefined) throw cannotEditError();
    const at = this.#endOf(last);
    const gap = this.text[at - 1] === '\n' ? '' : this.#eol;
    return this.#splice(at, at, gap + this.#block(members, this.#column(last)));
  }

  /** Replaces a member and its value. */
  replace(map: YAMLMap, pair: Pair<Scalar>, members: Members): string {
    if (map.flow === true) return this.#splice(startOf(pair), valueEnd(pair), flow(members));
    const end = this.#endOf(pair);
    const block = this.#block(members, this.#column(pair));
    return this.#splice(this.#lineStart(pair), end, this.text[end - 1] === '\n' ? block : block.trimEnd());
  }

  /** Inserts a block for a member without a value, or with an empty one. A comment on its line stays. */
  fill(pair: Pair<Scalar>, value: unknown): string {
    const colon = (pair.key.range?.[1] ?? 0) + 1;
    const [start, end] = (isNode(pair.value) ? pair.value.range : undefined) ?? [colon, colon];
    // An absent value is inserted after the comments.
    const valueEnds = start === end ? colon : end;
    const at = this.#endOfLine(valueEnds);
    const rest = this.text.slice(valueEnds, at);
    const gap = rest.endsWith('\n') ? '' : this.#eol;
    return this.#splice(colon, at, rest + gap + this.#block(value as Members, this.#column(pair) + 2));
  }

  /** Removes `child` from the map that is the value of `parent`; `{}` replaces an only child. */
  remove(parent: Pair<Scalar>, map: YAMLMap, child: Pair<Scalar>): string {
    if (map.flow === true) return this.#removeFlow(child);
    const start = this.#lineStart(child);
    const end = this.#endOf(child);
    if (map.items.length > 1) return this.#splice(start, end, '');
    const colon = parent.key.range?.[1] ?? 0;
    const isClose = /^:[ \t]*\r?\n$/.test(this.text.slice(colon, start));
    if (isClose) return this.#splice(colon + 1, end, ` {}${this.#eol}`);
    return this.#splice(start, end, `${' '.repeat(this.#column(child))}{}${this.#eol}`);
  }

  #insertFlow(map: YAMLMap, last: Pair<Scalar> | undefined, members: Members): string {
    if (last !== undefined) return this.#splice(valueEnd(last), valueEnd(last), `, ${flow(members)}`);
    const [start, end] = map.range ?? [0, 0];
    return this.#splice(start, end, `{ ${flow(members)} }`);
  }

  #removeFlow(child: Pair<Scalar>): string {
    const [start, end] = [startOf(child), valueEnd(child)];
    const behind = /^\s*,\s*/.exec(this.text.slice(end))?.[0].length ?? 0;
    const before = behind > 0 ? 0 : (/,\s*$/.exec(this.text.slice(0, start))?.[0].length ?? 0);
    return this.#splice(start - before, end + behind, '');
  }

  #block(members: Members, indent: number): string {
    const lines = stringify(members, { lineWidth: 0 }).split('\n');
    return lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line)).join(this.#eol);
  }

  #column(pair: Pair<Scalar>): number {
    return startOf(pair) - this.#lineStart(pair);
  }

  /** Throws if a member shares its line with its container, so that it cannot be cut by lines. */
  #lineStart(pair: Pair<Scalar>): number {
    const start = this.text.lastIndexOf('\n', startOf(pair) - 1) + 1;
    if (this.text.slice(start, startOf(pair)).trim() !== '') throw cannotEditError();
    return start;
  }

  #endOf(pair: Pair<Scalar>): number {
    const end = valueEnd(pair);
    return this.text[end - 1] === '\n' ? end : this.#endOfLine(end);
  }

  #endOfLine(from: number): number {
    const at = this.text.indexOf('\n', from);
    return at === -1 ? this.text.length : at + 1;
  }

  #splice(start: number, end: number, replacement: string): string {
    return this.text.slice(0, start) + replacement + this.text.slice(end);
  }
}

function startOf(pair: Pair<Scalar>): number {
  return pair.key.range?.[0] ?? 0;
}

function valueEnd(pair: Pair<Scalar>): number {
  const written = isNode(pair.value) ? pair.value.range : undefined;
  return written?.[1] ?? pair.key.range?.[1] ?? 0;
}

/** JSON is also valid YAML in flow notation. */
function flow(members: Members): string {
  return JSON.stringify(members).slice(1, -1);
}
