/** Types of browser.mjs, which is plain JavaScript because set-up runs it before TypeScript is there. */
export function findBrowser(): string;
