/** Finds tools by a typed name, with or without the server, whatever separates the words. */
import { editDistance } from '../base/edit-distance.ts';
import type { IndexedTool } from './postings.ts';
import type { SearchDocument } from './search-document.ts';
import { tokenize } from './word-hashes.ts';

/** `github__create-issue`, `github:create_issue` and `GitHub CreateIssue` have the same key. */
function nameKey(name: string): string {
  return name.toLowerCase().replace(/[\s_:./-]+/g, '');
}

/** Shorter texts are the beginning of too many names. */
const minBeginningLength = 4;
const noTools: ReadonlySet<IndexedTool> = new Set();

export class NameLookup {
  readonly #tools = new Map<string, Set<IndexedTool>>();

  add(tool: IndexedTool): void {
    for (const key of keysOf(tool.document)) {
      const tools = this.#tools.get(key);
      if (tools === undefined) this.#tools.set(key, new Set([tool]));
      else tools.add(tool);
    }
  }

  remove(tool: IndexedTool): void {
    for (const key of keysOf(tool.document)) {
      const tools = this.#tools.get(key);
      tools?.delete(tool);
      if (tools?.size === 0) this.#tools.delete(key);
    }
  }

  /** Tools of exactly this name. */
  find(name: string): ReadonlySet<IndexedTool> {
    return this.#tools.get(nameKey(name)) ?? noTools;
  }

  /**
   * Tools whose name begins with the text, with the matching share (0 to 1). A server's name alone begins all of its
   * tools' names, and identifies none.
   */
  findByBeginning(name: string): Map<IndexedTool, number> {
    const key = nameKey(name);
    const found = new Map<IndexedTool, number>();
    if (key.length < minBeginningLength) return found;
    for (const [candidate, tools] of this.#tools) {
      if (!candidate.startsWith(key)) continue;
      for (const tool of tools) {
        const { server, name: own } = tool.document;
        if (candidate !== nameKey(own) && key.length <= nameKey(server).length) continue;
        found.set(tool, Math.max(found.get(tool) ?? 0, key.length / candidate.length));
      }
    }
    return found;
  }

  /**
   * The tools with the most similar names ("did you mean"), the most similar first; none if no name is similar.
   * `related`: tools that share words with the name, which may be similar other than by spelling.
   */
  suggest(name: string, related: readonly IndexedTool[]): IndexedTool[] {
    const text = name.slice(0, maxNameLength);
    const likeness = new Map<IndexedTool, number>();
    const note = (tool: IndexedTool, value: number): void => {
      if (value >= minLikeness && value > (likeness.get(tool) ?? 0)) likeness.set(tool, value);
    };
    for (const [candidate, tools] of this.#tools) {
      const value = spellingLikeness(text, candidate);
      for (const tool of tools) note(tool, value);
    }
    const words = new Set(tokenize(text));
    for (const tool of related) {
      const { server, name: own } = tool.document;
      for (const spelling of [own, `${server} ${own}`]) note(tool, wordLikeness(words, new Set(tokenize(spelling))));
    }
    return [...likeness]
      .sort(([a, nearA], [b, nearB]) => nearB - nearA || (a.document.id < b.document.id ? -1 : 1))
      .map(([tool]) => tool);
  }
}

function keysOf({ server, name }: SearchDocument): Set<string> {
  const bare = nameKey(name);
  return new Set([bare, nameKey(server) + bare]);
}

/** Only this much of longer names is compared. */
const maxNameLength = 120;
const minLikeness = 0.6;
/** A text of more words is a sentence, not a mistyped name. */
const maxNameWords = 5;

/** The share of the longer spelling that matches, 0 to 1. Only names with the same first letter are compared. */
function spellingLikeness(name: string, candidate: string): number {
  const key = nameKey(name);
  if (key[0] !== candidate[0] || name.trim().split(/\s+/).length > maxNameWords) return 0;
  const longer = Math.max(key.length, candidate.length);
  const limit = Math.floor(longer * (1 - minLikeness));
  const distance = editDistance(key, candidate, limit);
  return distance > limit ? 0 : 1 - distance / longer;
}

/** Another order or a missing word (`file_read` for `read_file`): the share of words that both have. */
function wordLikeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = [...left].filter((word) => right.has(word)).length;
  return (2 * shared) / Math.max(1, left.size + right.size);
}
