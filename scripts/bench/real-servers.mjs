/**
 * The thirteen real servers of the bench as config entries, each with what it needs to start without a network or an
 * account.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOf } from './install-servers.mjs';
import { entry } from './places.mjs';

/** What the scripted sessions work on. */
export class Material {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-bench-real-'));
  files = this.#make('files');
  repository = this.#make('repository');
  note = join(this.files, 'note.txt');

  constructor() {
    writeFileSync(this.note, 'Ten green bottles hanging on the wall.\n');
    writeFileSync(join(this.repository, 'new-file.txt'), 'not tracked yet\n');
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', this.repository]);
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #make(name) {
    mkdirSync(join(this.folder, name));
    return join(this.folder, name);
  }
}

/** Accounts that do not exist: listing tools asks nobody. */
const nobody = 'bench-0000000000000000000000000000';

export function realServers(material) {
  const server = (name, args = [], env = {}) => ({ ...entry([...programOf(name), ...args]), env });
  return {
    everything: server('@modelcontextprotocol/server-everything'),
    filesystem: server('@modelcontextprotocol/server-filesystem', [material.files]),
    memory: server('@modelcontextprotocol/server-memory', [], {
      MEMORY_FILE_PATH: join(material.folder, 'memory.jsonl'),
    }),
    'sequential-thinking': server('@modelcontextprotocol/server-sequential-thinking'),
    playwright: server('@playwright/mcp', ['--headless', '--output-dir', material.folder]),
    'chrome-devtools': server('chrome-devtools-mcp', ['--headless'], { CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1' }),
    context7: server('@upstash/context7-mcp'),
    git: server('@cyanheads/git-mcp-server', [], { LOGS_DIR: material.folder }),
    notion: server('@notionhq/notion-mcp-server', [], { NOTION_TOKEN: nobody }),
    mongodb: server('mongodb-mcp-server', [], { MDB_MCP_TELEMETRY: 'disabled', DO_NOT_TRACK: '1' }),
    eslint: server('@eslint/mcp'),
    sentry: server('@sentry/mcp-server', [], { SENTRY_ACCESS_TOKEN: nobody, SENTRY_DSN: '' }),
    firecrawl: server('firecrawl-mcp', [], { FIRECRAWL_API_KEY: nobody }),
  };
}
