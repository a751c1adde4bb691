/** One thing that `doctor` looked at. */

export interface Finding {
  /** `problem` needs a person; `note` is worth knowing. */
  readonly level: 'ok' | 'note' | 'problem';
  readonly topic: 'core' | 'node' | 'files' | 'config' | 'server';
  /** One sentence or two: what is, and what to do. */
  readonly text: string;
}
