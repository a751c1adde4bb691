/** What filters have withheld from an answer, in numbers: names would bring back what was filtered out. */
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';
import { failedFilters, saysNothingOf } from './annotations.ts';

/** Nothing where all matches passed. */
export function filterDiagnostics(
  query: string,
  filters: readonly string[],
  { index, catalog }: Pick<HelperContext, 'index' | 'catalog'>,
): JsonObject {
  if (filters.length === 0) return {};
  const { hits } = index.search(query, { limit: index.size });
  const matched = hits.flatMap(({ id }) => catalog.lookup.tools.withId(id));
  const failures = matched.map((tool) => failedFilters(tool, filters).map((filter) => ({ filter, tool })));
  const omitted = failures.filter((failed) => failed.length > 0).length;
  if (omitted === 0) return {};
  const byFilter = filters.map((filter) => {
    const failed = failures.flat().filter((failure) => failure.filter === filter);
    const silent = failed.filter(({ tool }) => saysNothingOf(tool, filter)).length;
    return [filter, { missing_annotation: silent, explicit: failed.length - silent }];
  });
  return {
    filter_diagnostics: {
      matched_before_filters: matched.length,
      omitted_total: omitted,
      omitted_by_filter: Object.fromEntries(byFilter) as JsonObject,
      suggestion: 'What a server leaves unsaid of a tool counts as the worst. Search without the filter to see these.',
    },
  };
}
