/** The six real MCP servers used in tests, each with data of its own. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from '../../scripts/browser.mjs';
import type { PrivateHome } from './private-home.ts';
import { programOf } from './real-packages.ts';

export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Data for the servers. */
export interface Material {
  readonly textFile: string;
  readonly text: string;
  /** A git repository with one untracked file. */
  readonly repository: string;
  readonly untracked: string;
}

export function makeMaterial(home: PrivateHome): Material {
  const textFile = join(home.folder('files'), 'song.txt');
  const text = 'Ten green bottles – zehn grüne Flaschen 🍾';
  writeFileSync(textFile, text);
  const repository = home.folder('repository');
  const untracked = 'new-file.txt';
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', repository], { env: home.env });
  writeFileSync(join(repository, untracked), '');
  return { textFile, text, repository, untracked };
}

/** Config entries by name. Browser calls require `browser`; listing its tools does not. */
export function realServers(home: PrivateHome, browser: string | undefined): Record<string, ServerEntry> {
  const server = (name: string, ...more: string[]): ServerEntry => {
    const { command, args } = programOf(name);
    return { command, args: [...args, ...more] };
  };
  const browserFlags = browser === undefined ? [] : ['--executable-path', browser, '--no-sandbox', '--isolated'];
  return {
    everything: server('@modelcontextprotocol/server-everything'),
    filesystem: server('@modelcontextprotocol/server-filesystem', home.folder('files')),
    memory: {
      ...server('@modelcontextprotocol/server-memory'),
      env: { MEMORY_FILE_PATH: join(home.path, 'memory.jsonl') },
    },
    'sequential-thinking': server('@modelcontextprotocol/server-sequential-thinking'),
    playwright: server('@playwright/mcp', '--headless', '--output-dir', home.folder('browser'), ...browserFlags),
    git: { ...server('@cyanheads/git-mcp-server'), env: { LOGS_DIR: home.folder('git-logs') } },
  };
}

/** A browser for the playwright server; undefined if there is none. */
export function browserIfAny(): string | undefined {
  try {
    return findBrowser();
  } catch {
    return undefined;
  }
}
