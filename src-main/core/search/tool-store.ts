/** All indexed tools by number, with everything that finds them; filled and emptied server by server. */

import { ClauseMixer } from './mix-clauses.ts';
import { NameLookup } from './name-lookup.ts';
import { type NearWord, NearWords } from './spelling.ts';
import { Postings, stemMark } from './postings.ts';
import { type Ranking, readSegment, type SearchDocument } from './segment.ts';
import { Tally } from './tally.ts';

/** A server's tools have the numbers from `first` on. */
interface ServerTools {
  readonly documents: readonly SearchDocument[];
  readonly first: number;
  /** Its terms by number. */
  readonly terms: Uint32Array;
}

/** So many unused numbers are no reason to tidy up. */
const mostUnused = 1_000;
/** As many queries are asked together, nearly always. */
const mostSpare = 4;

export class ToolStore {
  readonly ranking: Ranking;
  readonly clauseMixer = new ClauseMixer();
  readonly #servers = new Map<string, ServerTools>();
  #documents: (SearchDocument | undefined)[] = [];
  #size = 0;
  #postings = new Postings();
  #names = new NameLookup();
  #nearWords = new NearWords();
  /** How many of the terms `#nearWords` has been told of: it learns them when it is first asked. */
  #toldTerms = 0;
  /** Empty ones of queries that are answered: to make and to collect them took a fifth of a query's time. */
  readonly #spare: Tally[] = [];

  constructor(ranking: Ranking) {
    this.ranking = ranking;
  }

  /** Number of tools. */
  get size(): number {
    return this.#size;
  }

  /** By number; undefined is a number that no tool has at the moment. */
  get documents(): readonly (SearchDocument | undefined)[] {
    return this.#documents;
  }

  get postings(): Postings {
    return this.#postings;
  }

  get names(): NameLookup {
    return this.#names;
  }

  /** With room for every document's score. */
  takeTally(): Tally {
    const spare = this.#spare.pop();
    return spare !== undefined && spare.score.length >= this.#documents.length
      ? spare
      : new Tally(this.#documents.length);
  }

  /** For the next query; nobody may look at it any more. */
  giveBack(tally: Tally): void {
    if (this.#spare.length >= mostSpare) return;
    tally.clear();
    this.#spare.push(tally);
  }

  /** Words for a word that no tool holds. */
  nearWords(word: string): NearWord[] {
    const { terms } = this.#postings;
    for (; this.#toldTerms < terms.length; this.#toldTerms += 1) {
      const term = terms[this.#toldTerms] ?? '';
      if (!term.startsWith(stemMark)) this.#nearWords.add(term);
    }
    return this.#nearWords.find(word, (near) => this.#postings.find(near) !== undefined);
  }

  /** Sets the tools of a server; what it had before is forgotten. */
  replace(server: string, documents: readonly SearchDocument[]): void {
    const before = this.#servers.get(server);
    this.#take(server);
    const fits = before !== undefined && documents.length <= before.documents.length;
    this.#put(server, documents, fits ? before.first : this.#documents.length);
    this.#tidyUp();
  }

  remove(server: string): void {
    this.#take(server);
    this.#tidyUp();
  }

  #put(server: string, documents: readonly SearchDocument[], first: number): void {
    const segment = readSegment(documents, this.ranking, this.#postings);
    this.#postings.insert(segment, first);
    this.#servers.set(server, { documents: [...documents], first, terms: segment.terms });
    documents.forEach((document, place) => {
      this.#documents[first + place] = document;
      this.#names.add(first + place, document);
    });
    this.#size += documents.length;
  }

  #take(server: string): void {
    const gone = this.#servers.get(server);
    if (gone === undefined) return;
    const { documents, first, terms } = gone;
    this.#servers.delete(server);
    this.#postings.remove(terms, first, first + documents.length);
    documents.forEach((document, place) => {
      this.#documents[first + place] = undefined;
      this.#names.remove(first + place, document);
    });
    this.#size -= documents.length;
  }

  /** What is no longer used takes memory and is read over. Once it is the bigger part, everything moves together. */
  #tidyUp(): void {
    const unused = this.#documents.length - this.#size;
    if (unused <= Math.max(mostUnused, this.#size) && !this.#postings.isWasteful) return;
    const numbers = new Uint32Array(this.#documents.length);
    const documents: SearchDocument[] = [];
    this.#documents.forEach((document, number) => {
      if (document !== undefined) numbers[number] = documents.push(document) - 1;
    });
    const { postings, terms } = this.#postings.compacted(numbers);
    for (const [name, server] of this.#servers) {
      const moved = { first: numbers[server.first] ?? 0, terms: server.terms.map((term) => terms[term] ?? 0) };
      this.#servers.set(name, { ...server, ...moved });
    }
    this.#documents = documents;
    this.#postings = postings;
    this.#names = new NameLookup();
    documents.forEach((document, number) => this.#names.add(number, document));
    this.#nearWords = new NearWords();
    this.#toldTerms = 0;
  }
}
