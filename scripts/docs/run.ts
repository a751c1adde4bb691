/**
 * `npm run docs` writes the generated pages of docs/reference; with `--check` it reports pages that are not current,
 * and banned words in documents and sources.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { checkDocuments } from './check-documents.ts';
import { checkSources } from './check-sources.ts';
import { generatedPages } from './generated-pages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const isCheck = process.argv.includes('--check');
const problems = isCheck ? [...checkDocuments(root), ...checkSources(root)] : [];

for (const [path, text] of await generatedPages()) {
  if (!isCheck) writeFileSync(root + path, text);
  else if (readFileSync(root + path, 'utf8') !== text) problems.push(`${path} is not current. Run: npm run docs`);
}
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
