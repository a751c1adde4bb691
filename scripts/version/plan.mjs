/** What a release is made of, worked out from the changelog and the versions there are; touches nothing. */

const parts = ['major', 'minor', 'patch'];

/**
 * The version to release. `wish`: major, minor, patch, or a version itself. Without one the version in package.json if
 * it was never released, else the next one: minor where something was added or changed, patch where things were only
 * fixed.
 */
export function nextVersion(current, wish, section, isReleased) {
  if (wish !== undefined && /^\d+\.\d+\.\d+$/.test(wish)) return wish;
  if (wish !== undefined && !parts.includes(wish)) {
    throw new Error(`"${wish}" is neither major, minor, patch nor a version such as 1.2.3.`);
  }
  if (wish === undefined && !isReleased) return current;
  const numbers = current.split('.').map(Number);
  const at = parts.indexOf(wish ?? (/^### (Added|Changed)$/m.test(section) ? 'minor' : 'patch'));
  return numbers.map((number, place) => (place < at ? number : place === at ? number + 1 : 0)).join('.');
}

/** What stands under `## Unreleased`. Throws if there is nothing to release. */
export function unreleased(changelog) {
  const section = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog)?.[1]?.trim() ?? '';
  if (section === '') throw new Error('CHANGELOG.md has nothing under "## Unreleased".');
  return section;
}

/** What stands under a version's heading. Throws if there is none. */
export function sectionOf(changelog, version) {
  const part = changelog.split(/^## /m).find((one) => one.startsWith(`${version} – `));
  const section = part?.slice(part.indexOf('\n')).trim();
  if (section === undefined) throw new Error(`CHANGELOG.md has no section of version ${version}.`);
  return section;
}

/** The changelog with what was unreleased under its version, and an empty place for what comes. */
export function releasedChangelog(changelog, version, date) {
  return changelog.replace(/^## Unreleased$/m, () => `## Unreleased\n\n## ${version} – ${date}`);
}

/** What is shown next to the packages. */
export function releaseNotes(version, section) {
  return `# Tooltray ${version}\n\n${section}\n`;
}
