/**
 * The arguments of a search for several needs at once, where its definition or the introduction says that it takes
 * them: as `queries`, as a list in `query`, or in one text with a sign between them. undefined if it takes one.
 */
export function severalIn(properties, introduction) {
  if (properties.queries !== undefined) return (queries) => ({ queries });
  const { query } = properties;
  if (query === undefined) return undefined;
  const takesList = [query.type, ...(query.anyOf ?? []).map(({ type }) => type)].flat().includes('array');
  if (takesList) return (queries) => ({ query: queries });
  const [said] = /\bseveral [^.]*/i.exec(introduction) ?? [];
  const sign = said === undefined ? undefined : /[;|]/.exec(said)?.[0];
  return sign === undefined ? undefined : (queries) => ({ query: queries.join(`${sign} `) });
}
