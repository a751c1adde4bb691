#!/usr/bin/env node
/** Stands in for fpm, which the packer fetches: makes a .deb out of the same words with dpkg-deb. Only what the packer asks for. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';

const flags = new Set(['force', 'deb-no-default-config-files']);
const scripts = { 'after-install': 'postinst', 'after-remove': 'postrm', 'before-remove': 'prerm' };

const { options, depends, paths } = readWords(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'fpm-'));
mkdirSync(join(folder, 'DEBIAN'));
for (const path of paths) place(path);
writeFileSync(join(folder, 'DEBIAN/control'), control());
for (const [option, name] of Object.entries(scripts)) {
  if (options.get(option) === undefined) continue;
  copyFileSync(options.get(option), join(folder, 'DEBIAN', name));
  chmodSync(join(folder, 'DEBIAN', name), 0o755);
}
execFileSync('dpkg-deb', ['--build', '--root-owner-group', folder, options.get('package')]);
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ path: options.get('package') }));

function readWords(words) {
  const found = { options: new Map(), depends: [], paths: [] };
  for (let i = 0; i < words.length; i++) {
    const [, name, value] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(words[i]) ?? [];
    if (name === undefined) found.paths.push(words[i]);
    else if (name === 'd' || name === 'depends') found.depends.push(value ?? words[++i]);
    else found.options.set(name, value ?? (flags.has(name) ? 'true' : words[++i]));
  }
  return found;
}

/** `source=target`; a source that ends with / means what is in it. */
function place(path) {
  const [source, target = source] = path.split('=');
  const isContent = source.endsWith('/') || !target.endsWith('/');
  const to = isContent ? join(folder, target) : join(folder, target, basename(source));
  mkdirSync(dirname(to), { recursive: true });
  cpSync(source.replace(/\/$/, ''), to, { recursive: true, verbatimSymlinks: true });
}

function control() {
  return [
    `Package: ${options.get('name')}`,
    `Version: ${options.get('version')}`,
    `Architecture: ${options.get('architecture')}`,
    `Maintainer: ${options.get('maintainer')}`,
    `Depends: ${depends.join(', ')}`,
    `Description: ${options.get('description').split('\n').join('\n ')}`,
    '',
  ].join('\n');
}
