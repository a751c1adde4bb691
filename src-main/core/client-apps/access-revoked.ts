/** What a client app is told whose access the person took back. */
import { AppError } from '../base/errors.ts';
import { knownApps, nameOfClient } from './known-apps.ts';

export function accessRevoked(app: string): AppError {
  const known = knownApps.find(({ id }) => id === app);
  const fix =
    known === undefined
      ? 'To give it back, choose Allow in the dashboard’s settings.'
      : `To give it back, run "tooltray install ${app}", or choose Allow in the dashboard’s settings.`;
  const message = `The access of ${nameOfClient(app)} to Tooltray was revoked, so it can use none of its servers.`;
  return new AppError('not_allowed', message, { fix });
}
