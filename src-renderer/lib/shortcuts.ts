/** Every key that does something in the dashboard, as it is told to people: the one table of them. What the keys do is in keys.ts and where they are used. */
import { type View, viewNames } from './addresses.ts';
import { closeKey, filterKey, helpKey, paletteKey, type Place, viewShortcut } from './keys.ts';

interface ShortcutGroup {
  readonly title: string;
  readonly rows: readonly { readonly what: string; readonly keys: readonly string[] }[];
}

/** As the system of this page writes them. */
export function shortcutGroups(place: Place, views: readonly View[]): readonly ShortcutGroup[] {
  return [
    {
      title: 'Everywhere',
      rows: [
        { what: 'Find anything, or do it', keys: [paletteKey(place).shown] },
        { what: 'This list', keys: [helpKey.shown] },
        { what: 'To the filter of a view', keys: [filterKey.shown] },
        { what: 'Close what is open', keys: [closeKey.shown] },
      ],
    },
    {
      title: 'Views',
      rows: views.map((view, index) => ({ what: viewNames[view], keys: [viewShortcut(index + 1, place).shown] })),
    },
    {
      title: 'Lists and tables',
      rows: [
        { what: 'Row by row', keys: ['↑', '↓'] },
        { what: 'Page by page, in long ones', keys: ['PgUp', 'PgDn'] },
        { what: 'To the first, to the last', keys: ['Home', 'End'] },
        { what: 'Open the row', keys: ['Enter'] },
        { what: 'Select the server', keys: ['Space'] },
        { what: 'Unfold and fold', keys: ['→', '←'] },
      ],
    },
    {
      title: 'Parts of a view',
      rows: [
        { what: 'Between tabs; wider and narrower on a line between parts', keys: ['←', '→'] },
        { what: 'Along a chart, and to the calls of what is chosen there', keys: ['←', '→', 'Enter'] },
        { what: 'In a long answer: to the next place found, to the one before', keys: ['Enter', 'Shift+Enter'] },
      ],
    },
  ];
}
