/** The dashboard's own ground, `--paper` in theme/tokens.css: a window that has it does not flash before the page is drawn. */

export const grounds = { light: '#f7f7f5', dark: '#15171b' } as const;
