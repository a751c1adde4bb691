/** Where a team's database is: a flag, or a variable, since what stands in a command line is everybody's to read. */
import { AppError } from '../core/base/errors.ts';

const variable = 'TOOLTRAY_DATABASE';

/** Throws AppError bad_request where neither says it. */
export function databaseUrl(given: string | undefined): string {
  const url = given ?? process.env[variable];
  if (url) return url;
  throw new AppError('bad_request', 'Which database is not said.', {
    fix: `Give --database postgres://user:password@host:5432/name, or set ${variable}.`,
  });
}
