/**
 * Inbox items for OAuth scopes that servers request beyond those granted at sign-in, and for those that the user
 * refused.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import type { Emitter } from '../base/emitter.ts';
import { markInvisible } from '../base/visible-text.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import { describeScopes } from '../servers/oauth/describe-scopes.ts';
import type { ServerOAuth } from '../servers/oauth/server-oauth.ts';
import { mostSevereFirst, joinNames } from '../trust/inbox/entry-consequences.ts';
import type { InboxSource, UserDecision } from '../trust/inbox/inbox.ts';
import type { PastDecision, InboxAction, InboxItem, DecisionResult } from '../trust/inbox/inbox-item.ts';

interface RightsSourceParts {
  readonly servers: () => readonly ManagedServer[];
  /** Emits when a user was asked for other scopes, or decided. */
  readonly changed: Emitter;
  /** Records the decision in the audit log. */
  readonly note: (choice: 'accept' | 'refuse', what: string, server: string) => void;
}

export function createScopeSource(parts: RightsSourceParts): InboxSource {
  const { servers, changed } = parts;
  return {
    onChange: (listener) => changed.on(listener),
    items: () => Promise.resolve(servers().flatMap(itemOf)),
    decide: (item, word) => decide(item, word, parts),
    decided: () => Promise.resolve(servers().flatMap(decidedOf)),
    undo: async ({ id }) => {
      const server = servers().find((one) => decidedOf(one)[0]?.id === id);
      await server?.oauth?.allowToAsk();
    },
  };
}

/** Typed by a user; changes with the requested scopes. */
function idOf(server: string, kind: 'wanted' | 'refused', scopes: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, server, ...scopes]))
    .digest('hex')
    .slice(0, kind === 'wanted' ? 6 : 8);
}

function itemOf({ config, oauth }: ManagedServer): InboxItem[] {
  const wanted = oauth?.requestedScopes;
  if (oauth === undefined || wanted === undefined) return [];
  const { scopes, at } = wanted;
  const words = describeScopes(scopes);
  const name = markInvisible(config.name);
  return [
    {
      id: idOf(config.name, 'wanted', scopes),
      kind: 'scopes',
      cause: `scopes ${config.name}`,
      server: config.name,
      at,
      until: undefined,
      isGrave: false,
      parts: [],
      moreParts: 0,
      actions: actionsFor(oauth),
      title: `${name} requests more scopes`,
      risks: [],
      command: '',
      sentence: `${name} requests more scopes than you granted: ${joinNames(words.map(({ text }) => text))}.`,
      from: 'A call was rejected because they are missing.',
      meanings: mostSevereFirst(words.map(({ text, isGrave }) => ({ text: `${name} may ${may(text)}`, isGrave }))),
    },
  ];
}

/** A scope without a known meaning is shown by its name. */
function may(text: string): string {
  return text.endsWith(')') ? `${text}.` : `use the scope ${text}.`;
}

function actionsFor({ info }: ServerOAuth): readonly InboxAction[] {
  const where = info.issuer === undefined ? 'its sign-in' : new URL(info.issuer).host;
  return [
    {
      id: 'leave',
      label: 'Ignore',
      isRisky: false,
      isByPart: false,
      meaning: 'It keeps its current scopes and does not request these again.',
    },
    {
      id: 'give',
      label: 'Sign in to grant them',
      isRisky: true,
      isByPart: false,
      meaning: `Opens the sign-in page of ${markInvisible(where)}. After you grant them, calls that need them succeed.`,
    },
  ];
}

async function decide(
  item: InboxItem,
  { action, by }: UserDecision,
  parts: RightsSourceParts,
): Promise<DecisionResult> {
  const server = parts.servers().find(({ config }) => config.name === item.server);
  const { oauth } = server ?? {};
  if (server === undefined || oauth?.requestedScopes === undefined)
    throw new AppError('not_found', 'These scopes are no longer requested.');
  const name = markInvisible(server.config.name);
  const rights = joinNames(describeScopes(oauth.requestedScopes.scopes).map(({ text }) => text));
  if (action === 'leave') {
    await oauth.refuseScopes(by);
    const sentence = `Did not grant additional scopes to ${name}: ${rights}.`;
    parts.note('refuse', sentence, server.config.name);
    return { sentence, isDone: true, undo: decidedOf(server)[0]?.id };
  }
  const { url } = await server.requestScopes();
  parts.note('accept', `Signing in to ${name} for additional scopes: ${rights}.`, server.config.name);
  return { sentence: `Sign in to ${name} in your browser to grant the scopes.`, isDone: true, goOn: url };
}

function decidedOf({ config, oauth }: ManagedServer): PastDecision[] {
  const refused = oauth?.refused;
  if (refused === undefined) return [];
  const { scopes, at, by } = refused;
  const rights = joinNames(describeScopes(scopes).map(({ text }) => text));
  const sentence = `Did not grant additional scopes to ${markInvisible(config.name)}: ${rights}.`;
  return [
    {
      id: idOf(config.name, 'refused', scopes),
      kind: 'scopes',
      at,
      by,
      server: config.name,
      sentence,
      undo: 'You are asked again when it needs them.',
    },
  ];
}
