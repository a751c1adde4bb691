/** Facts about client apps: context window, on-demand tool loading, result size limit, call timeout. */
import { clientDisplayName } from './known-apps.ts';

interface ClientAppFacts {
  /** The display name. */
  readonly name: string;
  /** Parts of its names (`clientInfo.name`, `--app`), in lower case. */
  readonly names: readonly string[];
  /** Context window of its usual model, in tokens. */
  readonly window: number;
  /** Whether it loads tool definitions on demand (documented or measured, 2026-11). */
  readonly defersTools: boolean;
  /**
   * The largest result that the app accepts whole, in bytes: below the size at which it truncates, and far above the
   * size at which it stores results itself.
   */
  readonly inlineBytes: number;
  /** How long a call may stay without a result, in seconds: below the app's own limit, if that is known. */
  readonly callLimitSeconds: number;
  /** How much of a result it passes to its model; absent if no limit besides the context window is known. */
  readonly answerCut?: { readonly tokens: number } | { readonly bytes: number };
  /** Which representation it passes to its model if a result has text and equal structured content. */
  readonly reads: 'text' | 'structured';
  /** Whether it lists again after a notification. */
  readonly followsLists: boolean;
  /** Its model has only tools: it opens no file by path, and no resource by address. */
  readonly toolsOnly?: true;
}

/** About 10,000 tokens: Claude Code warns above it, and no app with a known limit truncates below it. */
export const defaultInlineBytes = 40_000;
/** For apps that store long results in a file for the model. */
const largeInlineBytes = 1_000_000;

/** Below the 60 s after which clients based on the SDK time out by default. */
const defaultCallLimitSeconds = 50;

export const clientApps: readonly ClientAppFacts[] = [
  {
    name: 'Claude Code',
    names: ['claude-code', 'claude code'],
    window: 200_000,
    defersTools: true,
    inlineBytes: largeInlineBytes,
    // Above 25,000 tokens it stores a result in a file and shows its beginning (anthropics/claude-code#45766); of two
    // representations it passes on the structured one (#79944, 2.1.280).
    answerCut: { tokens: 25_000 },
    reads: 'structured',
    callLimitSeconds: 110,
    followsLists: true,
  },
  {
    name: 'Claude Desktop',
    names: ['claude-ai', 'claude-desktop', 'claude desktop'],
    toolsOnly: true,
    window: 200_000,
    defersTools: false,
    inlineBytes: defaultInlineBytes,
    reads: 'text',
    callLimitSeconds: defaultCallLimitSeconds,
    followsLists: false,
  },
  {
    name: 'Cursor',
    names: ['cursor'],
    window: 200_000,
    defersTools: true,
    inlineBytes: largeInlineBytes,
    reads: 'text',
    callLimitSeconds: defaultCallLimitSeconds,
    followsLists: true,
  },
  {
    name: 'VS Code',
    names: ['visual studio code', 'vscode', 'copilot'],
    window: 128_000,
    defersTools: true,
    inlineBytes: largeInlineBytes,
    // Longer ones are stored on disk.
    answerCut: { bytes: 8192 },
    reads: 'text',
    callLimitSeconds: defaultCallLimitSeconds,
    followsLists: true,
  },
  {
    name: 'Gemini CLI',
    names: ['gemini'],
    window: 1_000_000,
    defersTools: false,
    inlineBytes: 36_000,
    answerCut: { bytes: 40_000 },
    reads: 'text',
    callLimitSeconds: 590,
    followsLists: true,
  },
  {
    name: 'Codex',
    names: ['codex'],
    window: 272_000,
    defersTools: false,
    inlineBytes: defaultInlineBytes,
    // The usual budget of its models for the output of one tool.
    answerCut: { tokens: 10_000 },
    reads: 'structured',
    callLimitSeconds: defaultCallLimitSeconds,
    followsLists: true,
  },
];

/** A conservative guess. */
const unknownApp: ClientAppFacts = {
  name: 'this app',
  names: [],
  window: 128_000,
  defersTools: false,
  inlineBytes: defaultInlineBytes,
  reads: 'text',
  callLimitSeconds: defaultCallLimitSeconds,
  followsLists: true,
};

/** Returns the facts for a client name. */
export function appTraits(app: string | undefined): ClientAppFacts {
  const name = app?.toLowerCase() ?? '';
  for (const facts of clientApps) for (const part of facts.names) if (name.includes(part)) return facts;
  return unknownApp;
}

/** The largest result that an app accepts whole, in bytes. */
export function inlineBytesOf(app: string): number {
  return appTraits(app).inlineBytes;
}

/**
 * Maximum length of a text in a result, in bytes: including escapes and the surrounding message it stays below the
 * app's limit.
 */
export function maxTextBytesFor(app: string | undefined): number {
  return Math.floor(appTraits(app).inlineBytes * 0.75);
}

/**
 * How the app takes a result: the maximum number of tokens, the maximum size in bytes if it has one, and which of two
 * forms it reads.
 */
export function resultIntakeOf(app: string): {
  readonly tokens: number;
  readonly bytes: number | undefined;
  readonly reads: 'text' | 'structured';
} {
  const { window, answerCut, reads } = appTraits(app);
  const tokens = answerCut !== undefined && 'tokens' in answerCut ? answerCut.tokens : window;
  const bytes = answerCut !== undefined && 'bytes' in answerCut ? answerCut.bytes : undefined;
  return { tokens, bytes, reads };
}

/** Parts of the names of programs with which users try servers by hand, including our own. */
const handTools = ['inspector', 'mcporter', 'tooltray', 'conformance'];
/** The user's own calls: from the dashboard, and from the command line. */
const ownNames: ReadonlySet<string> = new Set(['you', 'command line', 'command-line', 'dashboard']);

/** Whether a model reads the results; a user's own calls neither cost nor save tokens. */
export function hasModel(app: string): boolean {
  const name = app.toLowerCase();
  if (ownNames.has(name)) return false;
  for (const part of handTools) if (name.includes(part)) return false;
  return true;
}

/** Returns the display name; for an unknown app, its own name for itself. */
export function displayNameOf(app: string): string {
  const facts = appTraits(app);
  return facts === unknownApp ? clientDisplayName(app) : facts.name;
}
