/** Which calls are looked for, and the same as conditions in SQL. */
import type { SQLInputValue } from 'node:sqlite';
import type { CallOutcome } from './call-record.ts';

export interface CallSearch {
  /** Stands in the name of the server or tool, in the reason given, or in the error. */
  readonly text?: string | undefined;
  readonly outcomes?: readonly CallOutcome[] | undefined;
  readonly spilled?: boolean | undefined;
  readonly app?: string | undefined;
  readonly server?: string | undefined;
}

export function conditionsOf({ text, outcomes, spilled, app, server }: CallSearch): {
  clauses: string[];
  values: SQLInputValue[];
} {
  const clauses: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (clause: string, ...more: SQLInputValue[]): void => {
    clauses.push(clause);
    values.push(...more);
  };
  if (outcomes !== undefined && outcomes.length > 0) {
    add(`outcome IN (${outcomes.map(() => '?').join(', ')})`, ...outcomes);
  }
  if (spilled === true) add('spillId IS NOT NULL');
  if (app !== undefined) add('app = ?', app);
  if (server !== undefined) add('server = ?', server);
  if (text !== undefined && text !== '') {
    // instr() knows no wildcards: what a person types is looked for as it stands.
    add(
      `instr(lower(server || ':' || tool || ' ' || coalesce(why, '') || ' ' || coalesce(errorText, '')), lower(?)) > 0`,
      text,
    );
  }
  return { clauses, values };
}
