/** The result of a check, as printed by doctor and listed in the Overview. Data only. */

export interface FindingAction {
  readonly kind:
    | 'retry'
    | 'sign-in'
    | 'enable'
    | 'review'
    | 'edit-config'
    | 'view-log'
    | 'add-secret'
    | 'unlock'
    | 'decide'
    | 'open-config'
    | 'restore-config'
    | 'open-settings'
    | 'open-spills'
    | 'connect-app'
    | 'resume'
    | 'heal';
  readonly label: string;
  /** With `add-secret`: the missing secret. */
  readonly secret?: string;
  /** With `retry`: the folder of a damaged package that is removed first. */
  readonly clears?: string;
}

/** `problem` needs the user; `note` is worth knowing. */
export type FindingLevel = 'ok' | 'note' | 'problem';

export interface Finding {
  /** Stable id: `server-github`, `store-audit`. */
  readonly id: string;
  readonly level: FindingLevel;
  readonly topic: 'core' | 'node' | 'files' | 'secrets' | 'config' | 'inbox' | 'server' | 'app';
  /** The finding in one sentence. */
  readonly summary: string;
  /** The cause, and the fix unless an action provides it; may be empty. */
  readonly detail: string;
  /** An action of one click. */
  readonly action?: FindingAction | undefined;
  readonly server?: string | undefined;
  /** Findings with the same cause are notified once; undefined: each is separate. */
  readonly cause?: string | undefined;
}

/** Summary and detail as one text. */
export function findingText({ summary, detail }: Pick<Finding, 'summary' | 'detail'>): string {
  return [summary, detail].filter((text) => text !== '').join(' ');
}
