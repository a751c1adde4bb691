/** Texts and choices of the inbox: the default button, and the selected parts. Pure. */
import type {
  InboxAction,
  InboxItem,
  InboxKind,
  InboxPart,
  InboxRisk,
  InboxSummary,
} from '../../../src-main/rpc/contract.ts';

export const kindNames: Readonly<Record<InboxKind, string>> = {
  change: 'Server changed',
  review: 'New server',
  proposal: 'Proposed change',
  settings: 'Config edit',
  'data-flow': 'Data flow',
  heal: 'Repair',
  scopes: 'Additional scopes',
};

export const riskNames: Readonly<Record<InboxRisk, string>> = {
  'runs-code': 'Runs code',
  disk: 'Disk',
  network: 'Network',
  unpinned: 'Unpinned',
};

/** Text of the empty inbox; `role` is the viewer's role in a team. */
export function whatWaits(role: 'admin' | 'member' | undefined): string {
  const sends = 'would send data to a destination taken from a tool result';
  if (role === 'member') return `Calls of yours that ${sends} wait here for your approval.`;
  if (role === 'admin') {
    return `Changed servers, changes proposed by models, and calls that ${sends} wait here for a decision.`;
  }
  return `Changed servers, changes proposed by models, config edits by other programs, calls that ${sends}, and suggested repairs wait here for your decision.`;
}

/** What a decision did, and the id that undoes it. */
export interface Confirmation {
  readonly sentence: string;
  readonly undo: string | undefined;
}

/** The selected item: by ID, by server, or the first. */
export function chosenItem(items: readonly InboxSummary[], path: readonly string[]): InboxSummary | undefined {
  const [id, server] = path;
  if (id === undefined) return items[0];
  if (id === 'server' && server !== undefined)
    return items.find((item) => item.server === server) ?? items.find(isEdits);
  return items.find((item) => item.id === id);
}

/** Several edits of the config file are one item, which includes servers without one of their own. */
function isEdits({ kind, server }: InboxSummary): boolean {
  return kind === 'settings' && server === undefined;
}

/** The default button: never a risky action; if something looks like an attack, the safe one. */
export function easyAction({ actions, isGrave }: Pick<InboxItem, 'actions' | 'isGrave'>): string | undefined {
  if (isGrave) return actions.find(({ isRisky }) => !isRisky)?.id;
  return actions.some(({ isRisky }) => isRisky) ? undefined : actions.at(-1)?.id;
}

/** Keys of the selected parts; undefined: all. */
export function partsMeant(parts: readonly InboxPart[], leftOut: ReadonlySet<number>): readonly string[] | undefined {
  if (leftOut.size === 0) return undefined;
  return parts.flatMap(({ keys }, index) => (leftOut.has(index) ? [] : keys));
}

/** `Accept`, `Accept 1 of 3`. */
export function actionLabel({ label, isByPart }: InboxAction, parts: number, meant: number): string {
  return isByPart && meant < parts ? `${label} (${meant} of ${parts})` : label;
}

/** Key of an action's button: A for those that allow something, R for those that do not. */
export function answerKey(action: string): 'a' | 'r' | undefined {
  if (action === 'approve' || action === 'accept' || action === 'use') return 'a';
  return action === 'reject' || action === 'keep' ? 'r' : undefined;
}
