/** What the settings of one app mean, in sentences. Pure. */
import type { AppSettings } from '../../../../src-main/rpc/contract.ts';
import { bytes } from '../../../lib/format.ts';
import { modeName } from '../../../lib/headline.ts';

export function modeSentence({ appName, mode, usualMode }: AppSettings): string {
  return mode === undefined
    ? `${appName} has no mode of its own: it is shown your tools as all apps are, in ${modeName(usualMode)} mode.`
    : `${appName} has a mode of its own; all other apps are in ${modeName(usualMode)} mode, unless they have one, too.`;
}

/** When a change is seen by the app's model. */
export function followsSentence({ appName, followsLists }: AppSettings): string {
  const when = followsLists
    ? 'Sessions that are open read their tools anew'
    : `${appName} shows the new list after a restart`;
  return `${when}. A session that asks for a mode by its address keeps it.`;
}

export function limitSentence({ appName, threshold, usualThreshold }: AppSettings): string {
  const limit = threshold ?? usualThreshold;
  const whose = threshold === undefined ? '' : ` Without a limit of its own: ${limitInWords(usualThreshold)}.`;
  if (limit === 0) return `${appName} is given every answer whole.${whose}`;
  return `Answers longer than ${bytes(limit)} are kept on disk; its model gets a summary and reads on in parts.${whose}`;
}

/** `answers up to 40 kB`, `all answers whole`: what an app is given without a detour. */
export function limitInWords(limit: number): string {
  return limit === 0 ? 'all answers whole' : `answers up to ${bytes(limit)}`;
}
