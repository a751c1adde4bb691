/** Access records of the team's audit log: first sign-ins, and the addresses of rejected tokens; never a token. */
import type { AuditRecorder } from '../../core/edition.ts';
import type { Provisioned } from '../users/oidc-users.ts';
import type { AuthenticationFailure } from '../users/authenticator.ts';
import type { Identity } from '../oidc/read-claims.ts';

/** Repeated attempts of the same client are recorded once per interval, in ms. */
const repeatIntervalMs = 10 * 60_000;
/** Maximum number of addresses and of notes; further ones are not recorded until some expire. */
const maxEntries = 500;

const reasons: Readonly<Record<Exclude<AuthenticationFailure['why'], 'too often' | 'over'>, string>> = {
  unknown: 'used an invalid token',
  scope: 'used an OIDC token without the required scopes',
  off: 'used a token of a suspended user',
  stranger: 'used a token of an unknown user',
};

export interface AccessAudit {
  readonly met: (admitted: Provisioned, identity: Identity) => void;
  readonly refused: (why: AuthenticationFailure['why'], address: string) => void;
}

export function createAccessAudit(audit: () => Pick<AuditRecorder, 'note'>, now: () => number = Date.now): AccessAudit {
  /** Times of the last record, oldest first. */
  const noted = new Map<string, number>();
  return {
    met: ({ user }, { issuer, subject }) => {
      const sentence = `${user.name} (${user.role}), ${subject} of ${issuer}, signed in for the first time.`;
      audit().note({ kind: 'access', change: 'given', user: user.id, sentence });
    },
    refused: (why, address) => {
      // Tokens expire every few minutes.
      if (why === 'too often' || why === 'over') return;
      for (const [old, at] of noted) {
        if (now() - at < repeatIntervalMs) break;
        noted.delete(old);
      }
      const key = `${why} ${address}`;
      if (noted.has(key) || noted.size >= maxEntries) return;
      noted.set(key, now());
      const sentence = `${address} ${reasons[why]}; further failures within 10 minutes are not recorded.`;
      audit().note({ kind: 'refusal', of: 'access', code: 'unauthorized', rule: why, sentence });
    },
  };
}
