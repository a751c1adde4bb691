/** The name of the signed-in account, if the authorization server provides it. */
import { isObject, tryParsePlainJson } from '../../base/json.ts';
import { truncateText, markInvisible } from '../../base/visible-text.ts';

const maxAccountNameLength = 100;
const claims = ['email', 'preferred_username', 'name', 'sub'] as const;

interface Names {
  readonly shown: string;
  /** All names of the account, in lower case. */
  readonly all: readonly string[];
}

/**
 * Reads the names in an id_token; undefined if there is none. It came from the token endpoint over TLS, so its
 * signature proves nothing more (OpenID Connect Core section 3.1.3.7). It is shown and compared, and grants nothing.
 */
export function accountNames(idToken: string | undefined): Names | undefined {
  const payload = readPayload(idToken?.split('.')[1]);
  const all = claims.flatMap((claim) => {
    const value = payload?.[claim];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  const [first] = all;
  if (first === undefined) return undefined;
  return { shown: truncateText(markInvisible(first), maxAccountNameLength), all: all.map((one) => one.toLowerCase()) };
}

function readPayload(part: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const value = tryParsePlainJson(Buffer.from(part ?? '', 'base64url').toString('utf8'));
  return isObject(value) ? value : undefined;
}
