/** Descriptions of one app's settings. Pure. */
import type { AppSettings } from '../../../src-main/rpc/contract.ts';
import { bytes, modeName } from '../../lib/format.ts';

export function modeSentence({ mode, defaultMode }: AppSettings): string {
  return mode === undefined
    ? `Uses the default mode (${modeName(defaultMode)}).`
    : `Overrides the default mode (${modeName(defaultMode)}).`;
}

/** When the app's model sees a change. */
export function followsSentence({ appName, refetchesLists }: AppSettings): string {
  const when = refetchesLists ? 'Open sessions reload their tools' : `Restart ${appName} to load the new list`;
  return `${when}. Sessions that request a mode by URL keep it.`;
}

export function limitSentence({ threshold, defaultThreshold }: AppSettings): string {
  const limit = threshold ?? defaultThreshold;
  const defaultNote = threshold === undefined ? '' : ` Default: ${limitInWords(defaultThreshold)}.`;
  if (limit === 0) return `Results are never spilled.${defaultNote}`;
  return `Results over ${bytes(limit)} are spilled to disk; the model gets a summary and reads the rest on demand.${defaultNote}`;
}

/** `results up to 40 kB`, `no spilling`. */
export function limitInWords(limit: number): string {
  return limit === 0 ? 'no spilling' : `results up to ${bytes(limit)}`;
}
