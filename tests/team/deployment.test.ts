/** The files of docs/team: their flags and variables exist, and their version is the current one. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { findCommand } from '../../src-main/cli/command-table.ts';
import { readArguments } from '../../src-main/cli/command.ts';

const root = `${import.meta.dirname}/../..`;
const read = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');
const yamlFiles = globSync('docs/team/**/*.yaml', { cwd: root }).map((file) => file.replaceAll('\\', '/'));
const sources = globSync('src-main/{cli,team,host}/**/*.ts', { cwd: root }).map(read).join('\n');

/** Every list of words in it that begins with a command of ours. */
function startsIn(value: unknown): string[][] {
  if (Array.isArray(value)) {
    const isStart = value.every((each) => typeof each === 'string') && findCommand(value) !== undefined;
    if (isStart) return [value.map(String)];
    return value.flatMap(startsIn);
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(startsIn) : [];
}

test.each(yamlFiles)('%s is YAML and starts commands with existing flags', async (file) => {
  const documents = parseAllDocuments(read(file), { merge: true });
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  for (const words of documents.flatMap((each) => startsIn(each.toJS()))) {
    const found = findCommand(words);
    const declared = await found?.load();
    const args = words.slice(found?.name.split(' ').length);
    expect(() => declared && readArguments(declared, args)).not.toThrow();
  }
});

test('the files start serve and migrate, and the image starts like them', () => {
  const started = yamlFiles.flatMap((file) =>
    parseAllDocuments(read(file), { merge: true }).flatMap((each) => startsIn(each.toJS())),
  );
  expect(new Set(started.map((words) => findCommand(words)?.name))).toEqual(new Set(['team serve', 'team migrate']));
  expect(read('docs/team/Dockerfile')).toContain('CMD ["team", "serve", "--listen", "0.0.0.0:8080"]');
});

test('variables and versions match this version', () => {
  const files = [...yamlFiles, 'docs/team/env.example', 'docs/team/Dockerfile'].map(read);
  const ofCompose = new Set(['TOOLTRAY_PUBLIC_URL', 'TOOLTRAY_IMAGE']);
  const named = new Set(files.flatMap((text) => text.match(/\bTOOLTRAY_[A-Z_]+/g) ?? []));
  const unknown = [...named].filter(
    (name) => !ofCompose.has(name) && name !== 'TOOLTRAY_HOME' && !new RegExp(`\\b${name}\\b`).test(sources),
  );
  expect(unknown).toEqual([]);
  const versions = files.flatMap((text) =>
    [...text.matchAll(/(?:tooltray-team:|newTag: )(\d[\w.]*)/g)].map(([, version]) => version),
  );
  expect(new Set(versions)).toEqual(new Set([packageJson.version]));
});
