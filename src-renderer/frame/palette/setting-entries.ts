/** The settings by their names, each with the part of the page where it stands. */
import { hrefTo } from '../../lib/addresses.ts';
import type { PaletteEntry } from './palette-entry.ts';

/** Part of the page (`settings-…` is its title's id), its title, and what is set there. */
const parts = [
  { part: 'mode', title: 'Mode', settings: 'How apps are shown your tools; auto, proxy, search' },
  {
    part: 'results',
    title: 'Long answers',
    settings: 'Keep on disk from, keep for, limit, TOON, invisible characters, price of tokens',
  },
  { part: 'desktop', title: 'This computer', settings: 'Theme, dark, light, start at login, notifications, updates' },
  { part: 'changes', title: 'Changes by models', settings: 'What models may change of your servers' },
  { part: 'flow', title: 'Data that leaves', settings: 'Calls that send what was read elsewhere' },
  { part: 'apps', title: 'In session now', settings: 'Apps that use Tooltray' },
  { part: 'access', title: 'Access of apps', settings: 'Revoke and allow' },
  { part: 'profiles', title: 'Profiles', settings: 'Sets of servers and tools, tokens that open them' },
  { part: 'secrets', title: 'Secrets', settings: 'The vault and its key, passphrase, keychain' },
  { part: 'places', title: 'Files and addresses', settings: 'Config file, logs, socket, address of the endpoint' },
] as const;

export function settingEntries(): PaletteEntry[] {
  return parts.map(({ part, title, settings }) => ({
    id: `setting/${part}`,
    kind: 'setting',
    label: title,
    detail: settings,
    words: settings,
    target: { href: hrefTo('settings', [part]) },
  }));
}
