/** Editors and editor extensions that Tooltray can connect. As of 2026-11, see known-apps.ts. */
import * as shapes from './known-app.ts';
import { everywhere, type KnownApp } from './known-app.ts';

const mcpServers = ['mcpServers'] as const;

export const knownEditors: readonly KnownApp[] = [
  {
    id: 'cursor',
    name: 'Cursor',
    format: 'json',
    files: ['$HOME/.cursor/mcp.json'],
    projectFiles: ['.cursor/mcp.json'],
    container: mcpServers,
    shape: shapes.plainShape,
    traces: ['$HOME/.cursor'],
    processes: ['cursor'],
    overwrites: false,
    restart: 'Enable tooltray in Cursor Settings › MCP.',
  },
  vscode('vscode', 'VS Code', 'Code', ['code']),
  vscode('vscode-insiders', 'VS Code Insiders', 'Code - Insiders', ['code - insiders', 'code-insiders']),
  vscode('vscodium', 'VSCodium', 'VSCodium', ['vscodium', 'codium']),
  {
    id: 'windsurf',
    name: 'Windsurf',
    format: 'json',
    files: ['$HOME/.codeium/windsurf/mcp_config.json'],
    projectFiles: [],
    container: mcpServers,
    shape: shapes.serverUrlShape,
    traces: ['$HOME/.codeium/windsurf'],
    processes: ['windsurf'],
    overwrites: false,
    restart: 'Press Refresh in Windsurf’s MCP settings.',
  },
  {
    id: 'zed',
    name: 'Zed',
    format: 'jsonc',
    // Sources disagree about macOS; Zed's own documentation names the first.
    files: {
      darwin: ['$HOME/.config/zed/settings.json', '$APPSUPPORT/Zed/settings.json'],
      win32: ['$APPDATA/Zed/settings.json'],
      linux: ['$XDG_CONFIG_HOME/zed/settings.json'],
    },
    projectFiles: ['.zed/settings.json'],
    container: ['context_servers'],
    shape: shapes.zedShape,
    traces: everywhere('$HOME/.config/zed', '$APPDATA/Zed', '$XDG_CONFIG_HOME/zed'),
    processes: ['zed', 'zed-editor'],
    overwrites: false,
    restart: 'Zed loads it automatically.',
  },
  {
    id: 'antigravity',
    name: 'Antigravity',
    format: 'json',
    files: ['$HOME/.gemini/config/mcp_config.json', '$HOME/.gemini/antigravity/mcp_config.json'],
    projectFiles: [],
    container: mcpServers,
    shape: shapes.serverUrlShape,
    traces: ['$HOME/.gemini/config', '$HOME/.gemini/antigravity'],
    processes: ['antigravity'],
    overwrites: false,
    restart: 'Press Refresh in Antigravity’s MCP settings.',
  },
  extension('cline', 'Cline', 'saoudrizwan.claude-dev', 'cline_mcp_settings.json', shapes.clineShape),
  {
    ...extension('roo-code', 'Roo Code', 'rooveterinaryinc.roo-cline', 'mcp_settings.json', shapes.rooShape),
    projectFiles: ['.roo/mcp.json'],
  },
  {
    ...extension('kilo-vscode', 'Kilo Code', 'kilocode.kilo-code', 'mcp_settings.json', shapes.rooShape),
    projectFiles: ['.kilocode/mcp.json'],
  },
  {
    id: 'kiro',
    name: 'Kiro',
    format: 'json',
    files: ['$HOME/.kiro/settings/mcp.json'],
    projectFiles: ['.kiro/settings/mcp.json'],
    container: mcpServers,
    shape: shapes.kiroShape,
    traces: ['$HOME/.kiro'],
    processes: ['kiro', 'kiro-cli'],
    overwrites: false,
    restart: 'Kiro loads it automatically.',
  },
  {
    id: 'junie',
    name: 'JetBrains Junie',
    format: 'json',
    files: ['$HOME/.junie/mcp/mcp.json'],
    projectFiles: ['.junie/mcp/mcp.json'],
    container: mcpServers,
    shape: shapes.plainShape,
    traces: ['$HOME/.junie'],
    processes: ['junie'],
    overwrites: false,
    restart: 'Start a new Junie task.',
  },
  {
    id: 'copilot-jetbrains',
    name: 'Copilot for JetBrains',
    format: 'json',
    files: everywhere(
      '$HOME/.config/github-copilot/intellij/mcp.json',
      '$LOCALAPPDATA/github-copilot/intellij/mcp.json',
      '$XDG_CONFIG_HOME/github-copilot/intellij/mcp.json',
    ),
    projectFiles: [],
    container: ['servers'],
    shape: shapes.requestInitShape,
    traces: everywhere(
      '$HOME/.config/github-copilot/intellij',
      '$LOCALAPPDATA/github-copilot/intellij',
      '$XDG_CONFIG_HOME/github-copilot/intellij',
    ),
    processes: [],
    overwrites: false,
    restart: 'Restart the IDE.',
  },
];

function vscode(id: string, name: string, folder: string, processes: readonly string[]): KnownApp {
  const user = `${folder}/User`;
  return {
    id,
    name,
    format: 'jsonc',
    files: everywhere(`$APPSUPPORT/${user}/mcp.json`, `$APPDATA/${user}/mcp.json`, `$XDG_CONFIG_HOME/${user}/mcp.json`),
    projectFiles: ['.vscode/mcp.json'],
    container: ['servers'],
    shape: shapes.typedShape,
    traces: everywhere(`$APPSUPPORT/${user}`, `$APPDATA/${user}`, `$XDG_CONFIG_HOME/${user}`),
    processes,
    overwrites: false,
    restart: `${name} starts it with the next chat and may ask whether you trust it.`,
  };
}

/** A VS Code extension with a file of its own in the editor's folder. */
function extension(id: string, name: string, folder: string, file: string, shape: shapes.EntryShape): KnownApp {
  const storage = `Code/User/globalStorage/${folder}`;
  const path = `${storage}/settings/${file}`;
  return {
    id,
    name,
    format: 'json',
    files: everywhere(`$APPSUPPORT/${path}`, `$APPDATA/${path}`, `$XDG_CONFIG_HOME/${path}`),
    projectFiles: [],
    container: mcpServers,
    shape,
    traces: everywhere(`$APPSUPPORT/${storage}`, `$APPDATA/${storage}`, `$XDG_CONFIG_HOME/${storage}`),
    processes: [],
    overwrites: false,
    restart: `${name} loads it automatically.`,
  };
}
