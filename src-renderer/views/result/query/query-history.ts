/** Recent statements, stored in this browser. */
const storageName = 'tooltray.queries';
const maxStored = 20;

export function rememberedQueries(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Returns the list with the statement first. */
export function rememberQuery(text: string): readonly string[] {
  const queries = [text, ...rememberedQueries().filter((one) => one !== text)].slice(0, maxStored);
  localStorage.setItem(storageName, JSON.stringify(queries));
  return queries;
}
