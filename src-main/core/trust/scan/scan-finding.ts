/** The report of a scan. */

export type ScanVerdict = 'clean' | 'review' | 'block';

export interface ScanFinding {
  /** Id of the rule, as in docs/reference/scanner.md. */
  readonly rule: string;
  /** JSON pointer to the text within the definition; empty for the text itself. */
  readonly place: string;
  /** The matching words verbatim, up to 200 characters, including invisible ones. */
  readonly words: string;
  /** The verdict on the text that contains it. */
  readonly tier: 'review' | 'block';
  /** In plain language, for the user. */
  readonly sentence: string;
}

export interface ScanReport {
  readonly verdict: ScanVerdict;
  /** Most severe texts first, then in order of position. Empty if the verdict is clean. */
  readonly findings: readonly ScanFinding[];
}

export const cleanReport: ScanReport = { verdict: 'clean', findings: [] };
