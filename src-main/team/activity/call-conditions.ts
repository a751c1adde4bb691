/** Conditions of queries over calls, steps, and savings: owner and filters. */

/** Owner of the rows in a query: one user, by principal name, or all. Every query states it. */
export type RowScope = { readonly person: string } | 'everybody';

export interface TeamCallFilter {
  /** ms since 1970; started at or after `since`, and before `until`. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly app?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly session?: string | undefined;
  readonly outcome?: string | undefined;
  /** Any of these. */
  readonly outcomes?: readonly string[] | undefined;
  /** Only calls whose result was spilled. */
  readonly isSpilled?: boolean | undefined;
  /** Contained in the name of the server or tool, the stated reason, or the error. */
  readonly text?: string | undefined;
}

/** SQL conditions of a query over calls or savings, with their values. */
export function conditionsOf(
  whose: RowScope,
  filter: TeamCallFilter,
): { readonly where: string; readonly values: readonly string[] } {
  const values: string[] = [];
  const clauses = ['true'];
  const add = (clause: (place: string) => string, value: string | undefined): void => {
    if (value === undefined) return;
    values.push(value);
    clauses.push(clause(`$${values.length}`));
  };
  const time = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : String(Math.round(ms)));
  const at = (place: string): string => `timestamptz 'epoch' + ${place}::bigint * interval '1 millisecond'`;
  if (whose !== 'everybody') add((place) => `person = ${place}`, whose.person);
  add((place) => `written >= ${at(place)}`, time(filter.since));
  add((place) => `written < ${at(place)}`, time(filter.until));
  for (const name of ['app', 'server', 'tool', 'session', 'outcome'] as const)
    add((place) => `${name} = ${place}`, filter[name]);
  add((place) => `outcome = ANY(string_to_array(${place}, ' '))`, filter.outcomes?.join(' '));
  if (filter.isSpilled === true) clauses.push('spill_id IS NOT NULL');
  const searchedText = `lower(server || ':' || tool || ' ' || coalesce(reason, '') || ' ' || coalesce(error_text, ''))`;
  add((place) => `position(lower(${place}) IN ${searchedText}) > 0`, filter.text === '' ? undefined : filter.text);
  return { where: clauses.join(' AND '), values };
}
