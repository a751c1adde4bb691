/** The caller of an app over the user's own socket. */
import { type Principal, principalOf } from '../../src-main/core/security/principal.ts';

export function callerOf(app: string, session = 's1'): Principal {
  return principalOf({ kind: 'own line' }, app, session);
}
