/**
 * The reason why a server does not work, in a few words after its name: `needs GITHUB_TOKEN`,
 * `can't start: the file dist/index.js is missing`. The output of a program before its exit is matched against common
 * causes; the raw text stays in the log.
 */
import type { AppError } from '../../base/errors.ts';

/** The user's action that ends the failure. */
export type Remedy = 'set-value' | 'edit-command' | 'edit-address' | 'clear' | 'retry';

export interface FailureReason {
  readonly words: string;
  readonly remedy: Remedy;
}

interface Rule {
  readonly pattern: RegExp;
  /** `what`: the named group of the match. */
  readonly words: (what: string) => string;
  readonly remedy: Remedy;
}

const path = String.raw`(?:file://)?(?<what>[^'"\n]+)`;
const variable = String.raw`(?<what>[A-Z][A-Z0-9]*_[A-Z0-9_]+)`;

/** Most specific first. */
const rules: readonly Rule[] = [
  {
    pattern: new RegExp(
      String.raw`\b${variable}\b[^\n]{0,40}\b(?:is|are|was|must be|needs to be|not|environment variable)\b[^\n]{0,24}\b(?:required|missing|set|defined|undefined|provided|empty)\b`,
    ),
    words: (what) => `needs ${what}`,
    remedy: 'set-value',
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:missing|requires?|required|provide|set|undefined|no)\b[^\n]{0,48}?\b${variable}\b`,
      'i',
    ),
    words: (what) => `needs ${what}`,
    remedy: 'set-value',
  },
  {
    pattern: new RegExp(String.raw`Cannot find (?:module|package) ['"]${path}['"]`),
    words: (what) =>
      /^[./\\]|^[A-Za-z]:\\/.test(what)
        ? `can't start: the file ${shortPath(what)} is missing`
        : `can't start: the package ${what} is missing`,
    remedy: 'edit-command',
  },
  {
    pattern: /No module named ['"]?(?<what>[\w.]+)/,
    words: (what) => `can't start: the Python module ${what} is missing`,
    remedy: 'edit-command',
  },
  {
    pattern: /(?:^|\n)(?:.*: )?(?:line )?\d*:? ?(?<what>[\w./@+-]+): (?:command )?not found\b/,
    words: (what) => `can't start: ${what} is not on PATH`,
    remedy: 'edit-command',
  },
  {
    pattern: /['"](?<what>[^'"\n]+)['"] is not recognized as an internal or external command/,
    words: (what) => `can't start: ${what} is not on PATH`,
    remedy: 'edit-command',
  },
  {
    pattern: /spawn (?<what>\S+) ENOENT/,
    words: (what) => `can't start: ${what} is not on PATH`,
    remedy: 'edit-command',
  },
  {
    pattern: /404 Not Found - GET \S+?\/(?<what>(?:@[\w.-]+(?:%2[fF]|\/))?[\w.-]+)(?:\s|$)/,
    words: (what) => `can't start: npm has no package ${what.replace(/%2f/i, '/')}`,
    remedy: 'edit-command',
  },
  {
    pattern: /(?:Because )?(?<what>[\w.-]+) was not found in the package registry/,
    words: (what) => `can't start: PyPI has no package ${what}`,
    remedy: 'edit-command',
  },
  {
    pattern:
      /(?:unknown option|unrecognized arguments?|unexpected argument|Unknown argument)s?:? ['"`]?(?<what>-{1,2}[\w-]+)/i,
    words: (what) => `can't start: it has no option ${what}`,
    remedy: 'edit-command',
  },
  {
    pattern: /EADDRINUSE[^\n]*?:(?<what>\d{2,5})\b|address already in use[^\n]*?:(?<port>\d{2,5})\b/i,
    words: (what) => `can't start: port ${what} is in use`,
    remedy: 'edit-command',
  },
  {
    pattern: /ECONNREFUSED\s+(?<what>\S+?:\d+)|Connection refused[^\n]*?(?<address>[\w.-]+:\d{2,5})/i,
    words: (what) => `stopped: nothing is listening at ${what}`,
    remedy: 'retry',
  },
  {
    pattern: /(?:ENOTFOUND|EAI_AGAIN)\s+(?<what>[\w.-]+)/,
    words: (what) => `stopped: the host ${what} cannot be found`,
    remedy: 'edit-command',
  },
  {
    pattern: /Cannot connect to the Docker daemon|docker daemon is not running/i,
    words: () => `can't start: Docker is not running`,
    remedy: 'retry',
  },
  {
    pattern: /heap out of memory|\bMemoryError\b|\bENOMEM\b|Cannot allocate memory/,
    words: () => 'stopped: out of memory',
    remedy: 'retry',
  },
  {
    pattern: /\blicen[cs]e\b[^\n]{0,40}\b(?:invalid|expired|required|missing|not found)\b/i,
    words: () => `can't start: its license was not accepted`,
    remedy: 'set-value',
  },
  {
    pattern:
      /\b(?:HTTP|status|code|error)\b[^\n\d]{0,12}401\b|\b401 Unauthorized|\bUnauthorized\b|(?:invalid|bad|expired|incorrect) (?:api[ _-]?key|token|credentials)/i,
    words: () => `can't start: its credentials were rejected`,
    remedy: 'set-value',
  },
  {
    pattern: /\b(?:HTTP|status|code|error)\b[^\n\d]{0,12}403\b|\bForbidden\b/,
    words: () => `can't start: its credentials do not give access`,
    remedy: 'set-value',
  },
  {
    pattern: /(?:EACCES|EPERM)[^\n]*?['"](?<what>[^'"\n]+)['"]|Permission denied:? ['"](?<file>[^'"\n]+)['"]/i,
    words: (what) => `can't start: no permission for ${shortPath(what)}`,
    remedy: 'edit-command',
  },
  {
    pattern: /(?:ENOENT[^\n]*?|No such file or directory:? |can't open file )['"](?<what>[^'"\n]+)['"]/,
    words: (what) => `can't start: ${shortPath(what)} does not exist`,
    remedy: 'edit-command',
  },
  {
    pattern: /requires? (?<what>(?:Node(?:\.js)?|Python) ?(?:version )?[<>=~^]* ?v?\d[\w.]*)/i,
    words: (what) => `can't start: it needs ${what}`,
    remedy: 'edit-command',
  },
  {
    pattern: /\bETIMEDOUT\b|timed out/i,
    words: () => 'stopped: one of its connections timed out',
    remedy: 'retry',
  },
];

/** Undefined if the text matches no common cause. */
export function reasonInOutput(lines: readonly string[]): FailureReason | undefined {
  const text = lines.join('\n');
  for (const { pattern, words, remedy } of rules) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const what = Object.values(match.groups ?? {}).find((group) => group !== undefined) ?? '';
    return { words: words(what.trim()), remedy };
  }
  return undefined;
}

export function failureReason(server: string, error: AppError): FailureReason {
  const { code, data = {}, cause } = error;
  if (code === 'secret_missing') {
    return {
      words: typeof data['secret'] === 'string' ? `needs ${data['secret']}` : 'needs a value',
      remedy: 'set-value',
    };
  }
  if (typeof data['damagedFolder'] === 'string') {
    return { words: `can't start: its npx package is incomplete`, remedy: 'clear' };
  }
  const lines = data['stderr'];
  const printed = Array.isArray(lines) ? reasonInOutput(lines.map(String)) : undefined;
  if (printed !== undefined) return printed;
  if (code === 'server_exited' && 'code' in data) {
    return { words: `can't start: it exited with code ${String(data['code'] ?? data['signal'])}`, remedy: 'retry' };
  }
  const words = firstSentence(error.message, server);
  if (code === 'command_not_found')
    return { words: words.replace(/^did not start/, `can't start`), remedy: 'edit-command' };
  if (code === 'config_invalid') return { words, remedy: 'edit-command' };
  const isUnknownHost = (cause as { code?: unknown } | undefined)?.code === 'ENOTFOUND';
  return { words, remedy: isUnknownHost ? 'edit-address' : 'retry' };
}

/** Omits a leading server name, which is displayed already. */
function firstSentence(message: string, server: string): string {
  const own = message.startsWith(`${server} `) ? message.slice(server.length + 1) : message;
  const [sentence = own] = own.split(/\.(?:\s|$)/, 1);
  return sentence.trim();
}

/** The last two parts, because long paths share their beginning. */
function shortPath(whole: string): string {
  const parts = whole.replace(/^file:\/\//, '').split(/[/\\]/);
  return parts.length <= 2 ? whole : parts.slice(-2).join('/');
}
