/**
 * Records which server returned which resource links to a session, because results may link to resources that no list
 * contains. Only that server is asked for them.
 */
import { isObject, objectOrEmpty } from '../../base/json.ts';
import type { Result } from '../../wire/message.ts';
import { RawJson } from '../../wire/raw-json.ts';

/** Maximum number of links; the oldest are dropped first. */
const maxLinks = 5000;
const maxInOneAnswer = 1000;
const maxUriLength = 4096;
/** Maximum distance between the type and the address of a link in a result held as bytes. */
const reach = 2 * maxUriLength;

export class SeenResources {
  readonly #servers = new Map<string, Set<string>>();

  /** Records links and embedded resources in a server's result of a call, a prompt, or a read. */
  note(server: string, answer: Result): void {
    const uris = answer instanceof RawJson ? urisInBytes(answer) : urisIn(answer);
    let left = maxInOneAnswer;
    for (const uri of uris) {
      if (uri.length > maxUriLength || left-- <= 0) continue;
      const known = this.#servers.get(uri) ?? new Set();
      // Moves the entry to the end: the least recently returned one is evicted first.
      this.#servers.delete(uri);
      this.#servers.set(uri, known.add(server));
      const [oldest] = this.#servers.keys();
      if (this.#servers.size > maxLinks && oldest !== undefined) this.#servers.delete(oldest);
    }
  }

  /** The servers that returned it. */
  serversOf(uri: string): readonly string[] {
    return [...(this.#servers.get(uri) ?? [])];
  }
}

/** `content` of a call, `messages` of a prompt, `contents` of a read. */
function urisIn({ content, messages, contents }: Readonly<Record<string, unknown>>): string[] {
  const said = Array.isArray(messages)
    ? (messages as unknown[]).flatMap((one) => objectOrEmpty(one)['content'] ?? [])
    : [];
  const uris: string[] = [];
  for (const list of [content, said, contents]) {
    if (!Array.isArray(list)) continue;
    for (const item of list as unknown[]) {
      if (!isObject(item)) continue;
      const { uri } = isObject(item['resource']) ? item['resource'] : item;
      if (typeof uri === 'string') uris.push(uri);
    }
  }
  return uris;
}

/** Large results are not parsed; the address is searched next to each link. */
function urisInBytes({ chunks }: RawJson): string[] {
  const uris: string[] = [];
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  for (
    let at = bytes.indexOf(mark);
    at >= 0 && uris.length < maxInOneAnswer;
    at = bytes.indexOf(mark, at + mark.length)
  ) {
    const around = bytes.toString('utf8', Math.max(0, at - reach), at + reach);
    for (const [, text = ''] of around.matchAll(/"uri"\s*:\s*("(?:[^"\\]|\\.)*")/g))
      uris.push(JSON.parse(text) as string);
  }
  return [...new Set(uris)];
}

const mark = '"resource_link"';
