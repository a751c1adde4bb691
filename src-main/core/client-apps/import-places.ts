/**
 * Other files with servers to import, besides those that an install writes: profiles, other packagings, products
 * without install.
 */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileExists, type Machine, resolvePaths } from './app-files.ts';
import { everywhere, type PathsBySystem } from './known-app.ts';

interface ImportPlace {
  /** The product's display name. */
  readonly name: string;
  /** `*` matches the name of one file or folder. */
  readonly files: readonly PathsBySystem[];
}

/** An existing file of one of these products. */
export interface FoundImportFile {
  readonly name: string;
  readonly file: string;
}

const inConfig = (path: string): PathsBySystem =>
  everywhere(`$APPSUPPORT/${path}`, `$APPDATA/${path}`, `$XDG_CONFIG_HOME/${path}`);

const editors = 'Code,Code - Insiders,VSCodium,Cursor,Windsurf,Trae,Trae CN,Antigravity,Kiro,Positron'.split(',');

/** Folders that contain `User`, for packagings and remote machines. */
const otherRoots = [
  '$HOME/.var/app/com.visualstudio.code/config/Code',
  '$HOME/.var/app/com.vscodium.codium/config/VSCodium',
  '$HOME/snap/code/current/.config/Code',
  '$HOME/snap/code-insiders/current/.config/Code - Insiders',
  '$HOME/snap/codium/current/.config/VSCodium',
  '$HOME/.local/share/code-server',
  '$HOME/.vscode-server/data',
  '$HOME/.vscode-server-insiders/data',
  '$HOME/.vscodium-server/data',
  '$HOME/.cursor-server/data',
  '$HOME/.windsurf-server/data',
] as const;

const inUser = (path: string): readonly PathsBySystem[] => [
  ...editors.map((editor) => inConfig(`${editor}/User/${path}`)),
  otherRoots.map((root) => `${root}/User/${path}`),
];

const inStorage = (extension: string, file: string): readonly PathsBySystem[] =>
  inUser(`globalStorage/${extension}/settings/${file}`);

/** Sources: documentation and reported issues, 2026-11. */
const importPlaces: readonly ImportPlace[] = [
  {
    name: 'VS Code',
    files: [...inUser('mcp.json'), ...inUser('settings.json'), ...inUser('profiles/*/mcp.json')],
  },
  { name: 'Cline', files: inStorage('saoudrizwan.claude-dev', 'cline_mcp_settings.json') },
  { name: 'Roo Code', files: inStorage('rooveterinaryinc.roo-cline', 'mcp_settings.json') },
  {
    name: 'Kilo Code',
    files: [
      ...inStorage('kilocode.kilo-code', 'mcp_settings.json'),
      ['$HOME/.kilocode/mcp.json', '$XDG_CONFIG_HOME/kilo/kilo.json', '$XDG_CONFIG_HOME/kilo/kilo.jsonc'],
    ],
  },
  {
    name: 'Continue',
    files: [
      ['$HOME/.continue/config.yaml', '$HOME/.continue/config.json'],
      ['$HOME/.continue/mcpServers/*.yaml', '$HOME/.continue/mcpServers/*.json'],
      ['$HOME/.continue/assistants/*.yaml', '$HOME/.continue/agents/*.yaml'],
    ],
  },
  {
    name: 'Amazon Q',
    files: [
      ['$HOME/.aws/amazonq/default.json', '$HOME/.aws/amazonq/cli-agents/*.json', '$HOME/.aws/amazonq/agents/*.json'],
    ],
  },
  {
    name: 'Kiro',
    files: [['$HOME/.kiro/agents/*.json', '$HOME/.kiro/powers/*/mcp.json', '$HOME/.kiro/powers/installed/*/mcp.json']],
  },
  {
    name: 'Crush',
    files: [['$HOME/.crush.json', '$HOME/.config/crush/crush.json', '$HOME/.local/share/crush/crush.json']],
  },
  { name: '1MCP', files: [inConfig('1mcp/mcp.json'), ['$HOME/.config/1mcp/mcp.json']] },
  { name: 'MCPHub', files: [['$HOME/mcphub/mcp_settings.json', '$HOME/.mcphub/mcp_settings.json']] },
  { name: 'mcphub.nvim', files: [['$HOME/.config/mcphub/servers.json'], inConfig('mcphub/servers.json')] },
  { name: 'Auggie', files: [['$HOME/.augment/settings.json']] },
  { name: 'Warp', files: [['$HOME/.warp/mcp.json', '$HOME/.warp/.mcp.json'], inConfig('warp-terminal/mcp.json')] },
  { name: 'LibreChat', files: [['$HOME/LibreChat/librechat.yaml']] },
  { name: 'Trae', files: [['$HOME/.trae/mcp.json', '$HOME/.trae-cn/mcp.json']] },
  { name: 'Kimi CLI', files: [['$HOME/.kimi/mcp.json']] },
  { name: 'Gemini CLI', files: [['$HOME/.gemini/extensions/*/gemini-extension.json']] },
  { name: 'Qwen Code', files: [['$HOME/.qwen/extensions/*/qwen-extension.json']] },
  { name: 'iFlow CLI', files: [['$HOME/.iflow/settings.json']] },
  { name: 'Rovo Dev', files: [['$HOME/.rovodev/mcp.json']] },
  { name: 'CodeBuddy', files: [['$HOME/.codebuddy/mcp.json', '$HOME/.codebuddy/.mcp.json']] },
  { name: 'OpenHands', files: [['$HOME/.openhands/mcp.json', '$HOME/.openhands/config.toml']] },
  { name: 'Mistral Vibe', files: [['$HOME/.vibe/config.toml']] },
  { name: 'BoltAI', files: [['$HOME/.boltai/mcp.json']] },
  { name: 'Windsurf', files: [['$HOME/.codeium/windsurf-next/mcp_config.json', '$HOME/.codeium/mcp_config.json']] },
  { name: 'Zed', files: [['$HOME/.var/app/dev.zed.Zed/config/zed/settings.json']] },
  { name: 'opencode', files: [inConfig('opencode/config.json'), ['$HOME/.opencode.json']] },
  {
    name: 'AnythingLLM',
    files: [inConfig('anythingllm-desktop/storage/plugins/anythingllm_mcp_servers.json')],
  },
  { name: 'Jan', files: [inConfig('Jan/data/mcp_config.json'), ['$HOME/.local/share/Jan/data/mcp_config.json']] },
  { name: 'Visual Studio', files: [['$HOME/.mcp.json']] },
  { name: 'mcp.json', files: [['$HOME/.config/mcp/mcp.json', '$HOME/.config/mcp/config.json']] },
];

/** Returns each file once, except those in `known`. */
export async function foundImportFiles(
  machine: Machine,
  known: ReadonlySet<string>,
): Promise<readonly FoundImportFile[]> {
  const seen = new Set(known);
  const found: FoundImportFile[] = [];
  for (const { name, files } of importPlaces) {
    for (const pattern of files.flatMap((paths) => resolvePaths(machine, paths))) {
      for (const file of await matching(pattern)) {
        if (seen.has(file)) continue;
        seen.add(file);
        found.push({ name, file });
      }
    }
  }
  return found;
}

async function matching(pattern: string): Promise<readonly string[]> {
  const star = /^(.*?)[\\/]([^\\/]*\*[^\\/]*)(.*)$/.exec(pattern);
  if (star === null) return (await fileExists(pattern)) ? [pattern] : [];
  const [, folder = dirname(pattern), name = '', rest = ''] = star;
  const [before = '', after = ''] = name.split('*');
  const names = await readdir(folder).catch(() => []);
  const there = names.filter((one) => one.startsWith(before) && one.endsWith(after)).sort();
  return (await Promise.all(there.map((one) => matching(`${join(folder, one)}${rest}`)))).flat();
}
