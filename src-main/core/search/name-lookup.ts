/** Finds tools by their typed name, bare or with the server before it, whatever separates the words. */
import { editDistance } from '../base/edit-distance.ts';
import type { IndexedTool } from './postings.ts';
import type { SearchDocument } from './search-document.ts';
import { tokenize } from './word-hashes.ts';

/** `github__create-issue`, `github:create_issue` and `GitHub CreateIssue` have one key. */
function nameKey(name: string): string {
  return name.toLowerCase().replace(/[\s_:./-]+/g, '');
}

/** Fewer letters begin too many names to mean one of them. */
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
   * Tools whose name begins like this, with the part of it that was typed (0 to 1). A server's name alone begins the
   * names of all its tools, and does not say which one is meant.
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
   * The tools whose names are nearest to one that does not exist ("did you mean"), the nearest first; none if no name
   * is near. `related` are tools that share words with the name: they may be near in other than spelling.
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

/** Names beyond this length are compared by their beginning. */
const maxNameLength = 120;
const minLikeness = 0.6;
/** A text of more words is a sentence and not a mistyped name. */
const maxNameWords = 5;

/** The part of the longer spelling that need not change, 0 to 1. Only names with the same first letter are compared. */
function spellingLikeness(name: string, candidate: string): number {
  const key = nameKey(name);
  if (key[0] !== candidate[0] || name.trim().split(/\s+/).length > maxNameWords) return 0;
  const longer = Math.max(key.length, candidate.length);
  const limit = Math.floor(longer * (1 - minLikeness));
  const distance = editDistance(key, candidate, limit);
  return distance > limit ? 0 : 1 - distance / longer;
}

/** Other order or a missing word (`file_read` for `read_file`): the part of the words that both have. */
function wordLikeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = [...left].filter((word) => right.has(word)).length;
  return (2 * shared) / Math.max(1, left.size + right.size);
}
