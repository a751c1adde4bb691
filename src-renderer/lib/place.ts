/** Where this page is shown: on which system, and whether in a browser or in the desktop app. */
import type { Place } from './keys.ts';

export function placeOfPage(): Place {
  return { isMac: navigator.userAgent.includes('Mac'), isBrowser: window.tooltray === undefined };
}
