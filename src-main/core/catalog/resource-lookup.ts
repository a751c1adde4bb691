/** Finds resources and templates for a need of a model. The index is built at the first search. */
import { textOrEmpty } from '../base/json.ts';
import { SearchIndex } from '../search/search-index.ts';
import { parseQuery, porterStem, tokenize } from '../search/word-hashes.ts';
import { isViewUri } from '../servers/ui-metadata.ts';
import type { CatalogResource } from './resource-uris.ts';

/**
 * Maximum number of indexed resources; others can be read, but not found. The index is built synchronously from a
 * limited number of characters each.
 */
const maxIndexed = 200;
const maxNameLength = 100;
const maxDescriptionLength = 200;
/** A resource matches if its texts contain at least this share of the need's words. */
const minWordShare = 0.5;

interface IndexedResource {
  readonly resource: CatalogResource;
  readonly stems: ReadonlySet<string>;
}

export class ResourceLookup {
  /** Resources and templates that a model can read, excluding user interfaces of tools. */
  readonly all: readonly CatalogResource[];
  #index: { readonly search: SearchIndex; readonly byUri: ReadonlyMap<string, IndexedResource> } | undefined;

  constructor(resources: readonly CatalogResource[], templates: readonly CatalogResource[]) {
    this.all = [...resources, ...templates].filter(({ uri }) => !isViewUri(uri));
  }

  /** Returns at most `limit` matching resources, best first. */
  find(need: string, limit: number): readonly CatalogResource[] {
    if (this.all.length === 0) return [];
    this.#index ??= indexOf(this.all.slice(0, maxIndexed));
    const { search, byUri } = this.#index;
    const wanted = [...new Set(parseQuery(need).words.map(({ word }) => porterStem(word)))];
    const fits = (id: string): boolean => {
      const stems = byUri.get(id)?.stems;
      const shared = wanted.filter((word) => stems?.has(word) === true);
      return shared.length > 0 && shared.length >= minWordShare * wanted.length;
    };
    const { hits } = search.search(need, { limit, accepts: fits });
    return hits.flatMap(({ id }) => byUri.get(id)?.resource ?? []);
  }
}

function indexOf(resources: readonly CatalogResource[]): {
  readonly search: SearchIndex;
  readonly byUri: ReadonlyMap<string, IndexedResource>;
} {
  const search = new SearchIndex();
  const byUri = new Map<string, IndexedResource>();
  for (const [server, own] of Map.groupBy(resources, (resource) => resource.server)) {
    const documents = own.map((resource) => {
      const { name, title, description } = resource.definition;
      const texts = {
        name: textOrEmpty(name).slice(0, maxNameLength),
        title: textOrEmpty(title).slice(0, maxNameLength),
        description: `${textOrEmpty(description).slice(0, maxDescriptionLength)}\n${resource.uri.slice(0, maxDescriptionLength)}`,
      };
      const stems = new Set(tokenize([server, ...Object.values(texts)].join(' ')).map(porterStem));
      byUri.set(resource.listedUri, { resource, stems });
      return { id: resource.listedUri, server, ...texts };
    });
    search.replaceServer(server, documents);
  }
  return { search, byUri };
}
