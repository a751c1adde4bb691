/**
 * `npm run release [-- major|minor|patch|1.2.3] [-- --dry-run]`: version, changelog, tests, packages, notes, commit and
 * tag. With `--dry-run` each step is told and none is done. Nothing is published: what to do with release/ and the tag
 * is said at the end.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { nextVersion, releasedChangelog, releaseNotes, unreleased } from './plan.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const words = process.argv.slice(2);
const isDry = words.includes('--dry-run');

try {
  release(words.find((word) => !word.startsWith('-')));
} catch (error) {
  console.error(`\nrelease: ${error.message}\n`);
  process.exitCode = 1;
}

function release(wish) {
  const changelog = read('CHANGELOG.md');
  const section = unreleased(changelog);
  const { version: current } = JSON.parse(read('package.json'));
  const version = nextVersion(current, wish, section, isTagged(current));
  if (isTagged(version)) throw new Error(`Version ${version} has been released already.`);
  const changes = read('git', ['status', '--porcelain']);
  if (changes !== '') refuse(`There are changes that are in no commit:\n${changes}`);

  console.log(`Tooltray ${version}${version === current ? ' (the version in package.json)' : `, after ${current}`}`);
  run('Everything holds', 'npm', ['run', 'check']);
  run('', 'npm', ['test']);
  if (version !== current) run('Version', 'npm', ['version', version, '--no-git-tag-version']);
  const date = new Date().toISOString().slice(0, 10);
  write('Changelog', 'CHANGELOG.md', releasedChangelog(changelog, version, date), `"## ${version} – ${date}"`);
  run('Packages, for this system', 'npm', ['run', 'package']);
  run('', 'npm', ['run', 'mcpb']);
  const notes = `release/notes-${version}.md`;
  write('Release notes', notes, releaseNotes(version, section), `\n\n${releaseNotes(version, section)}`);
  run('Commit and tag', 'git', ['commit', '--all', '--message', `chore: release ${version}`]);
  run('', 'git', ['tag', '--annotate', `v${version}`, '--message', `Tooltray ${version}`]);
  console.log(
    [
      `\n${isDry ? 'Then it is left to you' : 'Left to you'}: the packages of the other systems (npm run package there, at this tag), then`,
      `  git push --follow-tags, and release/ with ${notes} to where versions are given out.`,
    ].join('\n'),
  );
}

function isTagged(version) {
  return read('git', ['tag', '--list', `v${version}`]) !== '';
}

/** A file's text, or what a command says. */
function read(name, args) {
  if (args === undefined) return readFileSync(join(root, name), 'utf8');
  const { status, stdout, stderr } = spawnSync(name, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} ${args.join(' ')}: ${stderr.trim()}`);
  return stdout.trim();
}

/** A dry run continues, to show the rest. */
function refuse(why) {
  if (!isDry) throw new Error(why);
  console.log(`It would stop here. ${why}\n`);
}

function run(step, name, args) {
  tell(step, [name, ...args].map((word) => (word.includes(' ') ? JSON.stringify(word) : word)).join(' '));
  if (isDry) return;
  const { status } = spawnSync(name, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32' && name === 'npm',
  });
  if (status !== 0) throw new Error(`${name} ${args.join(' ')} failed; its own words are above.`);
}

function write(step, file, text, what) {
  tell(step, `${file}: ${what}`);
  if (isDry) return;
  mkdirSync(join(root, 'release'), { recursive: true });
  writeFileSync(join(root, file), text);
}

function tell(step, what) {
  if (step !== '') console.log(`\n${step}`);
  console.log(`  ${what}`);
}
