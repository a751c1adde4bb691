/** All keyboard shortcuts, as listed in the help. Their handling is in keys.ts and where they are used. */
import { type View, viewNames } from './addresses.ts';
import { addServerKey, closeKey, filterKey, fullWidthKey, helpKey, keysOfView, paletteKey } from './keys.ts';

interface ShortcutGroup {
  readonly title: string;
  readonly rows: readonly { readonly what: string; readonly keys: readonly string[] }[];
}

/** With key names of this system. */
export function shortcutGroups(isMac: boolean, views: readonly View[]): readonly ShortcutGroup[] {
  return [
    {
      title: 'Global',
      rows: [
        { what: 'Command palette', keys: [paletteKey(isMac).shown] },
        { what: 'Show keyboard shortcuts', keys: [helpKey.shown] },
        { what: 'Focus the filter', keys: [filterKey.shown] },
        { what: 'Close panel or dialog', keys: [closeKey.shown] },
        ...(views.includes('setup') ? [{ what: 'Add a server', keys: [addServerKey.shown] }] : []),
      ],
    },
    { title: 'Views', rows: views.map((view) => ({ what: viewNames[view], keys: keysOfView(view) })) },
    {
      title: 'Lists and tables',
      rows: [
        { what: 'Move between rows', keys: ['↑', '↓'] },
        { what: 'Page up or down', keys: ['PgUp', 'PgDn'] },
        { what: 'First or last row', keys: ['Home', 'End'] },
        { what: 'Open row', keys: ['Enter'] },
        { what: 'Select server', keys: ['Space'] },
        { what: 'Expand or collapse', keys: ['→', '←'] },
      ],
    },
    { title: 'Activity', rows: [{ what: 'Step at full width', keys: [fullWidthKey.shown] }] },
    {
      title: 'Inbox',
      rows: [
        { what: 'Next or previous item', keys: ['J', 'K'] },
        { what: 'Go to Approve or Reject', keys: ['A', 'R'] },
      ],
    },
    {
      title: 'Spill viewer',
      rows: [
        { what: 'Tree, table, text, query', keys: ['T', 'B', 'X', 'Q'] },
        { what: 'Next part that the model read', keys: ['M'] },
        { what: 'Run a query', keys: ['Ctrl+Enter'] },
      ],
    },
    {
      title: 'Tabs, charts and text',
      rows: [
        { what: 'Switch tabs, or resize a panel', keys: ['←', '→'] },
        { what: 'Move along a chart; open its calls', keys: ['←', '→', 'Enter'] },
        { what: 'Next or previous match', keys: ['Enter', 'Shift+Enter'] },
      ],
    },
  ];
}
