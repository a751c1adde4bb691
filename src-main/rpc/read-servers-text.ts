/** The servers in a text that a person pasted: a config of any product, one entry, or a command line. */
import { AppError } from '../core/base/errors.ts';
import { isObject, type JsonObject } from '../core/base/json.ts';
import { ConfigDocument } from '../core/config/config-document.ts';
import { nodeValue } from '../core/config/json-node.ts';
import { findContainers } from '../core/config/server-container.ts';
import { splitCommand } from '../core/config/split-command.ts';

export interface PastedServer {
  readonly name: string;
  readonly entry: JsonObject;
}

/** Throws AppError bad_request where there is no server in it. */
export function readServersText(text: string): readonly PastedServer[] {
  const trimmed = text.trim();
  const found = /^[{["]/.test(trimmed) ? ofJson(trimmed) : ofCommandLine(trimmed);
  if (found.length > 0) return found;
  throw new AppError('bad_request', 'There is no server in this text.', {
    fix: 'Paste the JSON that a server\'s page shows, with "mcpServers" or one entry, or the command that starts it.',
  });
}

function ofJson(text: string): PastedServer[] {
  // Pages often show the inside of a config, without the braces around it.
  const { root, problems } = new ConfigDocument(text.startsWith('"') ? `{${text}}` : text, 'the pasted text');
  if (root === undefined) {
    throw new AppError('bad_request', `The text cannot be read: ${problems[0]?.reason ?? 'it is not JSON'}`, {
      fix: 'Copy it whole.',
    });
  }
  const contained = findContainers(root).flatMap(({ entries }) =>
    entries.flatMap(({ name, valueNode }) => named(name, nodeValue(valueNode))),
  );
  if (contained.length > 0) return contained;
  const value = nodeValue(root);
  if (!isObject(value)) return [];
  if (isEntry(value)) return named(nameOf(value), value);
  return Object.entries(value).flatMap(([name, entry]) =>
    isObject(entry) && isEntry(entry) ? named(name, entry) : [],
  );
}

function ofCommandLine(text: string): PastedServer[] {
  if (text === '' || text.includes('\n')) return [];
  if (/^https?:\/\//i.test(text)) return named(undefined, { url: text });
  const words = splitCommand(text.replace(/^\$\s+/, ''));
  // `claude mcp add NAME -- COMMAND …`, as many pages have it.
  const dashes = /^(claude|codex|gemini)$/.test(words[0] ?? '') ? words.indexOf('--') : -1;
  const [command, ...args] = dashes === -1 ? words : words.slice(dashes + 1);
  if (command === undefined) return [];
  const given = words
    .slice(3, Math.max(3, dashes))
    .find((word, at, all) => !word.startsWith('-') && !takesValue(all[at - 1]));
  return named(given, { command, ...(args.length > 0 && { args }) });
}

/** Flags of other programs' `mcp add` that a value follows. */
function takesValue(flag: string | undefined): boolean {
  return flag !== undefined && /^(-[seth]|-H|--(scope|env|transport|header))$/.test(flag);
}

function named(name: string | undefined, value: unknown): PastedServer[] {
  if (!isObject(value)) return [];
  const { name: _own, ...entry } = value;
  return [{ name: name ?? nameOf(value), entry }];
}

function isEntry(value: JsonObject): boolean {
  return ['command', 'url', 'serverUrl', 'httpUrl', 'base_url', 'uri'].some((key) => typeof value[key] === 'string');
}

/** What a person would call it: the package it is in, or the host it is at. */
function nameOf(entry: JsonObject): string {
  if (typeof entry['name'] === 'string' && entry['name'] !== '') return entry['name'];
  const url = ['url', 'serverUrl', 'httpUrl'].map((key) => entry[key]).find((one) => typeof one === 'string');
  if (typeof url === 'string' && URL.canParse(url))
    return new URL(url).hostname.replace(/^(mcp|api|www)\./, '').split('.')[0] ?? 'server';
  const words = [entry['command'], ...(Array.isArray(entry['args']) ? (entry['args'] as unknown[]) : [])].map(String);
  const telling = words.find((word, index) => index > 0 && !word.startsWith('-')) ?? words[0] ?? 'server';
  const base =
    telling
      .replace(/@[\d.]+\S*$/, '')
      .split(/[\\/]/)
      .at(-1) ?? telling;
  return (
    base.replace(/\.(m?js|ts|py|exe)$/, '').replace(/^(mcp-)?server-|(-mcp)?-server$|^mcp-|-mcp$/g, '') || 'server'
  );
}
