/** `npm run release` determines version, changelog and notes; a dry run prints what it would run. */
import { expect, test } from 'vitest';
import { nextVersion, releasedChangelog, releaseNotes, sectionOf, unreleased } from '../../scripts/version/plan.mjs';

const changelog =
  '# Changes\n\n## Unreleased\n\n### Fixed\n\n- That $& holds.\n\n## 0.1.0 – 2026-01-02\n\n### Added\n\n- All.\n';

test.each([
  ['0.1.0', undefined, '### Added', false, '0.1.0'],
  ['0.1.0', undefined, '### Fixed\n\n- a\n\n### Added', true, '0.2.0'],
  ['0.1.4', undefined, '### Changed', true, '0.2.0'],
  ['0.1.4', undefined, '### Fixed', true, '0.1.5'],
  ['0.1.4', 'patch', '### Added', true, '0.1.5'],
  ['0.1.4', 'major', '### Fixed', false, '1.0.0'],
  ['0.1.4', '2.3.4', '### Fixed', true, '2.3.4'],
])('after %s, requested %s, with %j (released: %s) comes %s', (current, wish, section, isReleased, next) => {
  expect(nextVersion(current, wish, section, isReleased)).toBe(next);
});

test('rejects a request that is not a version', () => {
  expect(() => nextVersion('0.1.0', 'big', '', true)).toThrow('"big" is neither');
});

test('moves the unreleased section under its version, and leaves an empty one', () => {
  const section = unreleased(changelog);
  expect(section).toBe('### Fixed\n\n- That $& holds.');
  const released = releasedChangelog(changelog, '0.1.1', '2026-02-03');
  expect(released).toContain('## Unreleased\n\n## 0.1.1 – 2026-02-03\n\n### Fixed\n\n- That $& holds.\n\n## 0.1.0');
  expect(() => unreleased(released)).toThrow('nothing under "## Unreleased"');
  expect(releaseNotes('0.1.1', section)).toBe('# Tooltray 0.1.1\n\n### Fixed\n\n- That $& holds.\n');
});

test('reads the last section of a changelog to its end', () => {
  expect(unreleased('## Unreleased\n\n- one\n- two\n')).toBe('- one\n- two');
});

test('returns the section of a version, or throws if there is none', () => {
  expect(sectionOf(changelog, '0.1.0')).toBe('### Added\n\n- All.');
  expect(() => sectionOf(changelog, '9.9.9')).toThrow('9.9.9');
});
