/** A config file that is broken as a whole is said to be so, instead of looking like one without servers. */
import { AppError } from '../core/base/errors.ts';
import type { ConfigStore } from '../core/config/config-store.ts';

/** Throws AppError config_invalid with file, line and column. */
export function requireReadable(store: ConfigStore): void {
  const problem = wholeFileProblem(store);
  if (problem === undefined) return;
  const { file, line, column, reason, suggestion } = problem;
  throw new AppError('config_invalid', `${file}:${line}:${column} cannot be read: ${reason}`, {
    ...(suggestion !== undefined && { fix: suggestion }),
    data: { file, line, column },
  });
}

/** The problem of the text as a whole; those of entries and settings have a path. */
export function wholeFileProblem({ problems }: ConfigStore) {
  return problems.find(({ path, severity }) => path === '' && severity === 'error');
}
