/**
 * Where a server stands.
 *
 *   disabled ◄─── disable, enable ───► disconnected ◄─── idle, stop ─── any
 *                                            │ start, wake on use, retry
 *                                            ▼
 *      ┌──────────────────────────────► connecting ──► discovering ──► ready
 *      │ retryAt reached, retry              │              │            │
 *      ├── error ◄──── fails, ends ──────────┼──────────────┼────────────┤
 *      │ retry                               │              │            │
 *      ├── pending-sign-in ◄─── 401, 403 ────┴──────────────┴────────────┘
 *      │          │ sign in   ▲
 *      │          ▼           │ denied, too late
 *      └── authenticating ────┘
 *    signed in
 *
 * A line that fails or ends goes to `error` and comes back by itself; a refused sign-in waits for the person. Signing in
 * may begin anywhere but in `disabled`.
 */
import type { AppError } from '../base/errors.ts';

export type ServerState =
  | { readonly kind: 'disabled' }
  | { readonly kind: 'disconnected' }
  /** `failures`: tries in a row that came to nothing before this one; `error`: why the last of them did. */
  | { readonly kind: 'connecting'; readonly since: number; readonly failures: number; readonly error?: AppError }
  | { readonly kind: 'pending-sign-in'; readonly error: AppError }
  | { readonly kind: 'authenticating'; readonly since: number }
  | { readonly kind: 'discovering'; readonly since: number; readonly failures: number; readonly error?: AppError }
  | { readonly kind: 'ready'; readonly since: number }
  /** `retryAt` in ms since 1970. */
  | { readonly kind: 'error'; readonly error: AppError; readonly failures: number; readonly retryAt: number };
