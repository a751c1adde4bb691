/** What matters of a client app for choosing a mode: its model's window, and whether it loads tools only when needed. */

export interface ClientAppFacts {
  /** As people call it. */
  readonly name: string;
  /** Parts of what it calls itself (`clientInfo.name`, `--app`), lower case. */
  readonly names: readonly string[];
  /** Tokens of the usual model's context window. */
  readonly window: number;
  /** It keeps tool definitions out of the context until they are needed (documented or measured, 2026-11). */
  readonly defersTools: boolean;
}

export const clientApps: readonly ClientAppFacts[] = [
  { name: 'Claude Code', names: ['claude-code', 'claude code'], window: 200_000, defersTools: true },
  {
    name: 'Claude Desktop',
    names: ['claude-ai', 'claude-desktop', 'claude desktop'],
    window: 200_000,
    defersTools: false,
  },
  { name: 'Cursor', names: ['cursor'], window: 200_000, defersTools: true },
  { name: 'VS Code', names: ['visual studio code', 'vscode', 'copilot'], window: 128_000, defersTools: true },
  { name: 'Gemini CLI', names: ['gemini'], window: 1_000_000, defersTools: false },
  { name: 'Codex', names: ['codex'], window: 272_000, defersTools: false },
];

/** The careful guess. */
export const unknownApp: ClientAppFacts = { name: 'this app', names: [], window: 128_000, defersTools: false };
