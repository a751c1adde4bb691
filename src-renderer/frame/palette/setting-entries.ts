/** The settings by name, each with its section of the page. */
import { hrefTo } from '../../lib/addresses.ts';
import { settingParts } from '../../views/settings/setting-parts.ts';
import type { PaletteEntry } from './palette-entry.ts';

export function settingEntries(): PaletteEntry[] {
  return settingParts.map(({ part, title, settings }) => ({
    id: `setting/${part}`,
    kind: 'setting',
    label: title,
    detail: settings,
    words: settings,
    target: { href: hrefTo('settings', [part]) },
  }));
}
