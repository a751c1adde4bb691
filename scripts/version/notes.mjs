/** Prints the changelog's section of a version, for the page of its release. `node scripts/version/notes.mjs 1.2.3` */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { releaseNotes, sectionOf } from './plan.mjs';

const [version = ''] = process.argv.slice(2);
const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
process.stdout.write(releaseNotes(version, sectionOf(changelog, version)));
