/**
 * Where a server stands.
 *
 *              enable                start, wake on use, retry time reached
 *   disabled ─────────► disconnected ──────────────────────────► connecting ──► discovering ──► ready
 *      ▲                  ▲                                      │  ▲   │            │            │
 *      │ disable          │ idle, stop                           │  │   └─ 401/403 ─►│ pending sign-in
 *      └── any            └───────────────────────────────────── │ ─│── retry ◄──────┘       │ sign in
 *                                                                ▼  │                        ▼
 *                                                              error (retryAt) ◄─────── authenticating
 *
 * A line that fails or ends goes to `error` and comes back by itself; a refused sign-in waits for the person.
 */
import type { AppError } from '../base/errors.ts';

export type ServerState =
  | { readonly kind: 'disabled' }
  | { readonly kind: 'disconnected' }
  /** `failures`: tries in a row that came to nothing before this one. */
  | { readonly kind: 'connecting'; readonly since: number; readonly failures: number }
  | { readonly kind: 'pending-sign-in'; readonly error: AppError }
  | { readonly kind: 'authenticating'; readonly since: number }
  | { readonly kind: 'discovering'; readonly since: number; readonly failures: number }
  | { readonly kind: 'ready'; readonly since: number }
  /** `retryAt` in ms since 1970. */
  | { readonly kind: 'error'; readonly error: AppError; readonly failures: number; readonly retryAt: number };
