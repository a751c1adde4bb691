/** Types of plan.mjs, for tests. */
export function nextVersion(current: string, wish: string | undefined, section: string, isReleased: boolean): string;
export function unreleased(changelog: string): string;
export function releasedChangelog(changelog: string, version: string, date: string): string;
export function releaseNotes(version: string, section: string): string;
export function sectionOf(changelog: string, version: string): string;
