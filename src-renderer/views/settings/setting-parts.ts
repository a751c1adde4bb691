/** The sections of the settings in order: `settings-…` is the ID of a section's title. Also searched by the palette. */
export const settingParts = [
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
  { part: 'uninstall', title: 'Uninstall', settings: 'Disconnect every app, restore their files, quit' },
] as const;
