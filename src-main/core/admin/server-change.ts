/** The possible changes of configured servers, and the only rule about whose approval each needs. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { JsonDocument } from '../base/json-document.ts';
import { truncateName } from '../base/visible-text.ts';
import { lostSentence, type PendingEdit } from '../config/config-approval.ts';
import { addServer, mergeServerField, removeServer, setServerField } from '../config/edit-config.ts';

interface AddedServer {
  readonly kind: 'add';
  readonly server: string;
  readonly entry: JsonObject;
  /** Whether an app or bundle of the user starts it in exactly this way, with the user's access. */
  readonly isFoundHere?: true;
}

export type ServerChange =
  | AddedServer
  | { readonly kind: 'remove'; readonly server: string }
  /** A null field is removed; an object (env, headers) is merged into the existing one. */
  | { readonly kind: 'update'; readonly server: string; readonly fields: JsonObject }
  | { readonly kind: 'enable'; readonly server: string }
  | { readonly kind: 'disable'; readonly server: string }
  /** Replaces the tool descriptions shown to all client apps; an empty text restores the server's own. */
  | { readonly kind: 'describe'; readonly server: string; readonly texts: Readonly<Record<string, ToolText>> };

interface ToolText {
  readonly text: string;
  /** The server's own description of the tool. */
  readonly own: string;
}

/** Who requests a change: a model in a client app's session, through one of our tools. */
export interface ChangeAuthor {
  readonly app: string;
  readonly sessionId: string;
  readonly tool: string;
  /** The mode of the session. */
  readonly mode?: string;
}

/** The rule as described in the settings. It applies to every admin tool (tests/host/agent-changes.test.ts). */
export const agentChangePolicyTexts = {
  ask:
    'Models may view and retry your servers. Changes that affect other sessions need your approval: adding, ' +
    'removing, enabling, disabling and editing servers, and rewriting descriptions. Everything is recorded in the activity log.',
  allow:
    'Models may change servers without asking you, except for changes that always need your approval. ' +
    'Everything is recorded in the activity log.',
  refuse:
    'Models may view and retry your servers, but cannot propose changes. Everything is recorded in the activity log.',
} as const;

/** With a shorter timeout no server starts and no call ends, which would disable a server in disguise. In seconds. */
const minTimeoutSeconds = 1;
const timeouts = ['initTimeoutSeconds', 'callTimeoutSeconds', 'idleTimeoutSeconds', 'timeout'];

/** Throws AppError `bad_request` for a senseless change. */
export function assertSensible(change: ServerChange): void {
  const fields = change.kind === 'add' ? change.entry : change.kind === 'update' ? change.fields : {};
  for (const field of timeouts) {
    const value = fields[field];
    if (typeof value !== 'number' || value >= minTimeoutSeconds) continue;
    throw new AppError('bad_request', `${field} is ${value}; the minimum is ${minTimeoutSeconds} second.`, {
      fix: 'Nothing was changed.',
    });
  }
}

/** The config text with the change applied. Throws as the edits of config/edit-config.ts do. */
export function editConfig(text: string, change: ServerChange): string {
  switch (change.kind) {
    case 'add':
      return addServer(text, change.server, change.entry);
    case 'remove':
      return removeServer(text, change.server);
    case 'update':
      return Object.entries(change.fields).reduce(
        (edited, [field, value]) => mergeServerField(edited, change.server, field, value),
        text,
      );
    case 'enable':
      return setServerField(text, change.server, 'enabled', true);
    case 'disable':
      return setServerField(text, change.server, 'enabled', false);
    case 'describe':
      return text;
  }
}

/** The change as a sentence for the user, with names verbatim. */

export function describeChange(change: ServerChange): string {
  switch (change.kind) {
    case 'add':
      return `Add the server "${change.server}".`;
    case 'remove':
      return `Remove the server "${change.server}".`;
    case 'update':
      return `Change ${Object.keys(change.fields).join(', ')} of "${change.server}".`;
    case 'enable':
      return `Enable "${change.server}".`;
    case 'disable':
      return `Disable "${change.server}".`;
    case 'describe':
      return `Rewrite the description of ${toolCount(change.texts)} of "${change.server}".`;
  }
}

function toolCount(texts: Readonly<Record<string, ToolText>>): string {
  const { length } = Object.keys(texts);
  return length === 1 ? '1 tool' : `${length} tools`;
}

/** Returns a sentence for the user that describes config edits not made by Tooltray. */
export function describeEdits(waiting: readonly PendingEdit[]): string {
  const what = waiting.map((edit) => {
    if (edit.kind === 'setting') return `the setting ${edit.key}`;
    if (edit.lost !== undefined) return `the server "${edit.server}"`;
    return edit.before === undefined ? `the new server "${edit.server}"` : `the server "${edit.server}"`;
  });
  const last = what.length > 1 ? ` and ${what.at(-1) ?? ''}` : '';
  const lost = waiting.find((edit) => edit.lost !== undefined)?.lost;
  const list = `${(what.length > 1 ? what.slice(0, -1) : what).join(', ')}${last}`;
  if (lost !== undefined) {
    const until = lost === 'locked' ? 'the vault is unlocked (tooltray secret unlock)' : 'you approve it';
    return `${lostSentence(lost)} Not in use until ${until}: ${list}.`;
  }
  return `The config file was changed outside of Tooltray: ${list}. Not in use until you approve it.`;
}

/** Fields that neither launch or connect anything nor affect what models read or may do. */
const calmFields: ReadonlySet<string> = new Set(['lazy', 'idleTimeoutSeconds', 'notes', 'source', 'registry']);

/** Whether something new starts, is reached, or is shown to models, so that approval is not the default button. */
export function isRisky(change: ServerChange): boolean {
  if (change.kind === 'remove' || change.kind === 'disable') return false;
  if (change.kind !== 'update') return true;
  return Object.entries(change.fields).some(([field, value]) => isObject(value) || !calmFields.has(field));
}

/**
 * A change that a model requested and the user has not decided yet. All are in one document that several cores share
 * and one process changes at a time, so that a decision applies to all cores.
 */
export interface Proposal {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  readonly author: ChangeAuthor;
  /** Changes that are decided together, in order of application. */
  readonly changes: readonly ServerChange[];
  readonly sentence: string;
  /**
   * Hash of each server's entry at the time of the proposal, null for none, so that a changed entry is not
   * overwritten.
   */
  readonly bases: Readonly<Record<string, string | null>>;
  /** Names of secrets that were stored in the vault for it. */
  readonly secrets?: readonly string[];
}

type NewProposal = Pick<Proposal, 'author' | 'changes' | 'bases' | 'secrets'> & {
  readonly sentence?: string | undefined;
};

/** Maximum number of open proposals, in total and per app, because all apps share one user. */
const maxProposals = 100;
const maxProposalsPerApp = 20;
/** Maximum size of a proposal as JSON, in bytes; a user could not review a larger one. */
const maxProposalBytes = 64 * 1024;

export class ProposalStore {
  /** Emits when a proposal was added or decided, here or in another process. */
  readonly changed = new Emitter();
  readonly #document: JsonDocument;
  #seen: readonly Proposal[] = [];
  #stop: () => void = () => undefined;

  constructor(document: JsonDocument) {
    this.#document = document;
  }

  /** Follows changes by other processes until `stop`; resolves when it does. */
  async start(): Promise<void> {
    await this.#document.start();
    this.#stop = this.#document.changed.on(() => void this.#look());
    this.#seen = await this.all();
  }

  /** Call it after `start` has resolved. */
  async stop(): Promise<void> {
    this.#stop();
    await this.#document.stop();
  }

  /** Oldest first. */
  async all(): Promise<readonly Proposal[]> {
    return proposalsIn(await this.#document.read());
  }

  /** Returns an identical open proposal if any. Rejects with AppError `session_limit` or `bad_request` (too long). */
  async add({ author, changes, bases, sentence, secrets = [] }: NewProposal): Promise<Proposal> {
    const proposal: Proposal = {
      id: randomBytes(3).toString('hex'),
      at: Date.now(),
      author,
      changes,
      bases,
      secrets,
      sentence: sentence ?? changes.map(describeChange).join(' '),
    };
    requireShort(proposal);
    return this.#change((open) => {
      const known = open.find((one) => isDeepStrictEqual(one.changes, JSON.parse(JSON.stringify(changes))));
      if (known !== undefined) return [open, known];
      requireCapacity(open, author.app);
      return [[...open, proposal], proposal];
    });
  }

  /** Removes a proposal. Rejects with AppError `not_found`, also if another process was faster. */
  take(id: string): Promise<Proposal> {
    return this.#change((open) => {
      const proposal = open.find((one) => one.id === id);
      if (proposal === undefined) {
        const fix =
          open.length === 0 ? 'There are no pending proposals.' : `Pending: ${open.map((one) => one.id).join(', ')}.`;
        throw new AppError('not_found', `No proposal with the ID ${truncateName(id)}.`, { fix });
      }
      return [open.filter((one) => one !== proposal), proposal];
    });
  }

  /** Reopens a decided proposal. No limit applies, because the user asked for it. */
  restore(proposal: Proposal): Promise<void> {
    return this.#change((open) => [[...open.filter(({ id }) => id !== proposal.id), proposal], undefined]);
  }

  async #change<T>(change: (open: readonly Proposal[]) => [next: readonly Proposal[], result: T]): Promise<T> {
    const result = await this.#document.change((value) => {
      const open = proposalsIn(value);
      const [next, made] = change(open);
      return [next === open ? value : next, made];
    });
    await this.#look();
    return result;
  }

  async #look(): Promise<void> {
    const now = await this.all();
    if (isDeepStrictEqual(now, this.#seen)) return;
    this.#seen = now;
    this.changed.emit();
  }
}

function requireShort(proposal: Proposal): void {
  const bytes = Buffer.byteLength(JSON.stringify(proposal));
  if (bytes <= maxProposalBytes) return;
  throw new AppError('bad_request', `This proposal is ${bytes} bytes long; the limit is ${maxProposalBytes}.`, {
    fix: 'Request less at a time.',
  });
}

function requireCapacity(open: readonly Proposal[], app: string): void {
  const own = open.filter(({ author }) => author.app === app).length;
  if (own < maxProposalsPerApp && open.length < maxProposals) return;
  const subject =
    own < maxProposalsPerApp ? `${maxProposals} proposals of all apps` : `${maxProposalsPerApp} proposals of this app`;
  throw new AppError('session_limit', `${subject} are already pending. The limit is reached.`, {
    fix: 'Ask the user to decide on them: tooltray inbox.',
  });
}

function proposalsIn(value: unknown): readonly Proposal[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isProposal) : [];
}

function isProposal(value: unknown): value is Proposal {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    Array.isArray(value['changes']) &&
    value['changes'].every(isObject) &&
    isObject(value['author']) &&
    isObject(value['bases'])
  );
}
