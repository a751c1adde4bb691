/** Sign-ins that the version before left in plain files, as an item of the inbox: they go into the vault at the person's word, and back at it. */
import { createHash } from 'node:crypto';
import { toAppError, type AppError } from '../base/errors.ts';
import type { Event } from '../base/events.ts';
import { markHidden } from '../base/shown-text.ts';
import { count } from '../base/wording.ts';
import type { PlainSignIn, SignInFiles } from '../servers/sign-in/sign-in-store.ts';
import { diffLine } from '../trust/inbox/diff-lines.ts';
import type { InboxSource, PersonsWord } from '../trust/inbox/inbox.ts';
import type { InboxAction, InboxItem, InboxPart, Outcome } from '../trust/inbox/inbox-item.ts';
import type { DecisionHistory, WayBack } from './decision-history.ts';

interface SignInFileParts {
  readonly files: SignInFiles;
  /** Somebody is signed in or out. */
  readonly changed: Event;
  /** What an entry is called whose sign-in that is; undefined: no entry leads to it. */
  readonly serverOf: (key: string) => string | undefined;
  readonly history: DecisionHistory;
}

export function signInFileSource(parts: SignInFileParts): InboxSource {
  const { changed, files, history } = parts;
  return {
    onChange: (listener) => changed.on(listener),
    items: async () => {
      const open = (await files.inFiles()).filter(({ isLeft }) => !isLeft);
      return open.length === 0 ? [] : [itemOf(open, parts)];
    },
    decide: (item, word) => decide(item, word, parts),
    decided: () => history.all(['sign-in-file']),
    undo: ({ id }) => history.takeBack(id, ({ back }) => takeBack(back, files)),
  };
}

function itemOf(open: readonly PlainSignIn[], { serverOf }: SignInFileParts): InboxItem {
  const id = createHash('sha256').update(JSON.stringify(open)).digest('hex').slice(0, 6);
  const isOne = open.length === 1;
  return {
    ...{ id, kind: 'sign-in-file', cause: 'sign-in-file', at: undefined, until: undefined, isGrave: false },
    server: undefined,
    sentence: `${count(open.length, 'sign-in')} ${isOne ? 'lies in a plain file' : 'lie in plain files'}, as the version before kept them, and could go into the vault.`,
    from: 'Who signs in from now on is kept in the vault. You are asked once; what you leave stays as it is, and works.',
    meanings: [],
    parts: open.map((one) => partOf(one, serverOf(one.key))),
    moreParts: 0,
    actions,
  };
}

const actions: readonly InboxAction[] = [
  {
    ...{ id: 'seal', label: 'Move into the vault', isRisky: false, isByPart: true },
    meaning:
      'Each file is deleted once the vault has kept what was in it. The version before does not find it there: to go back to that one, take this back in the history first.',
  },
  {
    ...{ id: 'leave', label: 'Leave in files', isRisky: true, isByPart: true },
    meaning: 'Whoever can read your files can use them. You are not asked again.',
  },
];

function partOf({ key, file, account, server: noted }: PlainSignIn, server: string | undefined): InboxPart {
  const name = server ?? noted;
  const note = (text: string): InboxPart['notes'][number] => ({ text, isGrave: false });
  return {
    ...{ keys: [key], added: [], more: 0 },
    title: name === undefined ? 'A sign-in of a server that is gone' : `Sign-in to ${markHidden(name)}`,
    notes: account === undefined ? [] : [note(`As ${markHidden(account)}.`)],
    lines: [diffLine('Where it lies', file, 'the vault')],
  };
}

async function decide(
  item: InboxItem,
  { action, by, parts }: PersonsWord,
  { files, history }: SignInFileParts,
): Promise<Outcome> {
  const keys = parts ?? item.parts.flatMap((part) => part.keys);
  if (action === 'leave') {
    await files.leave(keys, true);
    const sentence = `${count(keys.length, 'sign-in')} stayed in ${keys.length === 1 ? 'a plain file' : 'plain files'}.`;
    return outcome(sentence, 'You are asked again.', { sealed: false, keys });
  }
  const sealed: string[] = [];
  let failure: AppError | undefined;
  for (const key of keys) {
    const isSealed = await files.sealFile(key).catch((error: unknown) => {
      failure = toAppError(error);
      return false;
    });
    if (isSealed) sealed.push(key);
  }
  // Locked, mostly: all of them are where they were.
  if (failure !== undefined && sealed.length === 0) throw failure;
  const sentence = `${count(sealed.length, 'sign-in')} ${sealed.length === 1 ? 'lies' : 'lie'} in the vault now.`;
  const undo = 'They lie in their files again, which whoever can read your files can read.';
  return outcome(sentence, undo, { sealed: true, keys: sealed });

  async function outcome(said: string, way: string, inFiles: NonNullable<WayBack['signInFiles']>): Promise<Outcome> {
    const decided = { kind: item.kind, by, server: undefined, sentence: said, undo: way };
    return { sentence: said, isDone: true, undo: await history.add({ ...decided, back: { signInFiles: inFiles } }) };
  }
}

/** One that was signed out of since is gone. Rejects with AppError secret_locked. */
async function takeBack(back: WayBack | undefined, files: SignInFiles): Promise<void> {
  const { sealed = false, keys = [] } = back?.signInFiles ?? {};
  if (!sealed) return files.leave(keys, false);
  for (const key of keys) await files.unsealFile(key);
}
