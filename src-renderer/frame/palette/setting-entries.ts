/** The settings by their names, each with the part of the page where it stands. */
import { hrefTo } from '../../lib/addresses.ts';
import type { PaletteEntry } from './palette-entry.ts';

/** Part of the page (`settings-…` is its title's id), its title, and what is set there. */
const parts = [
  { part: 'mode', title: 'Mode', settings: 'How tools are presented to apps: auto, proxy, search…' },
  {
    part: 'results',
    title: 'Large results',
    settings: 'Spill threshold, retention, disk limit, TOON, invisible characters, token price',
  },
  { part: 'desktop', title: 'Desktop app', settings: 'Theme, dark mode, start at login, notifications, updates' },
  { part: 'changes', title: 'Agent changes', settings: 'What models may change in your configuration' },
  { part: 'flow', title: 'Data flow', settings: 'Calls that send data to a destination taken from a result' },
  { part: 'apps', title: 'Active sessions', settings: 'Apps connected right now' },
  { part: 'access', title: 'App access', settings: 'Revoke or allow access' },
  { part: 'profiles', title: 'Profiles', settings: 'Named sets of servers and tools, and their tokens' },
  { part: 'secrets', title: 'Secrets', settings: 'Vault, key, passphrase, keychain' },
  { part: 'places', title: 'Paths and endpoints', settings: 'Configuration file, logs, socket, HTTP endpoint' },
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
