/** The shape of an answer to one question of the contract. */
import type { RpcMethod, RpcMethods } from '../contract.ts';
import type { RpcDeps } from '../deps.ts';

export type Handler<M extends RpcMethod> = (
  input: RpcMethods[M]['input'],
  deps: RpcDeps,
  signal: AbortSignal,
) => Promise<RpcMethods[M]['output']>;

export type HandlersOf<M extends RpcMethod> = { readonly [K in M]: Handler<K> };
