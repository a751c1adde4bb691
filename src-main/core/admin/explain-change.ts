/**
 * Explains a proposal to the user who decides on it: for every change, the resulting entry, and the differences line
 * by line. Invisible characters are marked. Secrets are `***` until the user reveals them; a secret that changes is
 * marked as such.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../base/json.ts';
import { markInvisible, markInvisibleInJson } from '../base/visible-text.ts';
import { endpointText } from '../client-apps/heal-candidates.ts';
import type { PendingEdit } from '../config/config-approval.ts';
import { fieldOfKey } from '../config/dialects/read-entry.ts';
import { rawEntry } from '../config/edit-config.ts';
import { maskedChange, maskedSentence } from '../trust/launch-change.ts';
import { diffLine, diffLines } from '../trust/inbox/diff-lines.ts';
import {
  entryConsequences,
  mostSevereFirst,
  secretConsequences,
  settingConsequences,
} from '../trust/inbox/entry-consequences.ts';
import type { Showing } from '../trust/inbox/inbox.ts';
import { entryRisks } from '../trust/inbox/entry-risks.ts';
import type { DiffLine, Consequence, InboxRisk } from '../trust/inbox/inbox-item.ts';
import { describeChange, editConfig, type ServerChange } from './server-change.ts';

export interface ExplainedChange {
  readonly kind: ServerChange['kind'] | 'file';
  /** Empty for a setting. */
  readonly server: string;
  readonly sentence: string;
  /** The consequences of approval, most severe first. */
  readonly meanings: readonly Consequence[];
  /** The consequences that concern secrets; shown in the question itself, not in the details. */
  readonly secrets: readonly Consequence[];
  readonly lines: readonly DiffLine[];
  /** The resulting entry in the config file; undefined if there is none. */
  readonly entry: JsonObject | undefined;
  /** Whether secrets in it are shown as `***`. */
  readonly isMasked: boolean;
  /** The risks that approval adds. */
  readonly risks: readonly InboxRisk[];
  /** The command line or address of the entry, on one line, secrets masked; empty if there is none. */
  readonly command: string;
}

/** `text`: the current config file. Each change is compared with the result of the previous ones. */
export function explainChanges(
  text: string,
  changes: readonly ServerChange[],
  showing: Showing = {},
): readonly ExplainedChange[] {
  let now = text;
  return changes.map((change) => {
    const before = now;
    now = tryEdit(before, change);
    return explainChange(change, entryIn(before, change.server), entryIn(now, change.server), showing);
  });
}

/** Explains the pending edits that another program made to the config file. */
export function explainEdits(waiting: readonly PendingEdit[], showing: Showing = {}): readonly ExplainedChange[] {
  return waiting.map((edit): ExplainedChange => {
    if (edit.kind === 'entry') {
      const { server, entry, before } = edit;
      const what = before === undefined ? `The server "${server}" is new` : `The server "${server}" has changed`;
      const sentence = markInvisible(`${what} in the config file.`);
      return {
        kind: 'file',
        server: markInvisible(server),
        sentence,
        ...entryLines(before, entry, showing),
      };
    }
    const { key, value, before } = edit;
    const sentence = markInvisible(`The setting ${key} changed in the config file.`);
    return {
      kind: 'file',
      server: '',
      sentence,
      meanings: settingConsequences(key, value),
      secrets: [],
      entry: undefined,
      risks: [],
      command: '',
      ...compareShown({ [key]: before }, { [key]: value }, showing),
    };
  });
}

/** Compares an entry with the previous one; without a previous one every line is new. */
export function diffEntries(
  before: JsonObject | undefined,
  entry: JsonObject,
  showing: Showing = {},
): Pick<ExplainedChange, 'lines' | 'isMasked'> {
  return compareShown(before ?? entry, entry, showing);
}

function entryLines(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  showing: Showing,
): Pick<ExplainedChange, 'meanings' | 'secrets' | 'lines' | 'entry' | 'isMasked' | 'risks' | 'command'> {
  const { entry } = showing.reveal === true ? { entry: after } : maskedChange(before, after);
  return {
    ...explainMeanings(before, after, showing),
    ...compareShown(before, after, showing),
    ...launchFacts(before, after),
    entry: entry && shown(entry),
  };
}

/** Returns what an entry newly allows, and what it starts or reaches. */
export function launchFacts(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): Pick<ExplainedChange, 'risks' | 'command'> {
  const launches = typeof after?.['command'] === 'string' || typeof after?.['url'] === 'string';
  return { risks: entryRisks(before, after), command: launches ? markInvisible(endpointText(after)) : '' };
}

/** Returns the consequences of approving an entry. */
export function explainMeanings(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  { reveal = false }: Showing = {},
): Pick<ExplainedChange, 'meanings' | 'secrets'> {
  const meanings = entryConsequences(before, after).map(({ text, isGrave }) => {
    return { text: reveal ? text : maskedSentence(text, before, after), isGrave };
  });
  return { meanings, secrets: secretConsequences(before, after) };
}

/** Compares line by line, and reports whether secrets are hidden. */
function compareShown(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  { reveal = false }: Showing,
): Pick<ExplainedChange, 'lines' | 'isMasked'> {
  const plain = compareEntries(before, after);
  if (reveal) return { lines: plain, isMasked: false };
  const masked = maskedChange(before, after);
  const lines = compareEntries(masked.before, masked.entry);
  return { lines, isMasked: !isDeepStrictEqual(lines, plain) };
}

function explainChange(
  change: ServerChange,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  showing: Showing,
): ExplainedChange {
  const { kind } = change;
  const [server, sentence] = [markInvisible(change.server), markInvisible(describeChange(change))];
  if (change.kind === 'describe') {
    // Descriptions that models read are shown in full.
    const lines = Object.entries(change.texts).map(([tool, { text, own }]) => {
      return diffLine(`Tool ${tool}`, own, text === '' ? own : text);
    });
    const { entry } = entryLines(after, after, showing);
    const meanings = [{ text: 'All apps get this text instead of the server’s own.', isGrave: false }];
    return { kind, server, sentence, meanings, secrets: [], lines, entry, isMasked: false, risks: [], command: '' };
  }
  const explained = entryLines(before, after, showing);
  const meanings = mostSevereFirst([...removalMeanings(change), ...explained.meanings]);
  return { kind, server, sentence, ...explained, meanings };
}

function removalMeanings({ kind }: ServerChange): readonly Consequence[] {
  return kind === 'remove' ? [{ text: 'All apps lose its tools.', isGrave: false }] : [];
}

/** Returns the question, including the secrets that approval gives away. */
export function sentenceWithSecrets(sentence: string, changes: readonly Pick<ExplainedChange, 'secrets'>[]): string {
  const gets = new Set(changes.flatMap(({ secrets }) => secrets.map(({ text }) => text)));
  return [sentence, ...gets].join(' ');
}

function shown(entry: JsonObject): JsonObject {
  return markInvisibleInJson(entry) as JsonObject;
}

/** A change that cannot be applied any more leaves the text unchanged; approving it reports why. */
function tryEdit(text: string, change: ServerChange): string {
  try {
    return editConfig(text, change);
  } catch {
    return text;
  }
}

function entryIn(text: string, server: string): JsonObject | undefined {
  try {
    return rawEntry(text, server);
  } catch {
    return undefined;
  }
}

function compareEntries(before: JsonObject | undefined, after: JsonObject | undefined): readonly DiffLine[] {
  return diffLines(flatten(before ?? {}), flatten(after ?? {}));
}

const names: Readonly<Record<string, string>> = {
  command: 'Command',
  url: 'Address',
  cwd: 'Working folder',
  type: 'Transport',
  enabled: 'Enabled',
  disabled: 'Disabled',
  quarantined: 'In quarantine',
  description: 'Description',
  builtin: 'Built-in server',
  lazy: 'Starts on the first call',
  idleTimeoutSeconds: 'Stops after idle seconds',
  initTimeoutSeconds: 'Start timeout in seconds',
  callTimeoutSeconds: 'Call timeout in seconds',
};

const listNames: Readonly<Record<string, string>> = {
  args: 'Argument',
  folders: 'Allowed folder',
  disabledTools: 'Tool disabled',
  enabledTools: 'Tool allowed',
};

const mapNames: Readonly<Record<string, string>> = { env: 'Variable', headers: 'Header' };

/** An entry as lines: the name of each value in plain words, and the value. */
function flatten(entry: JsonObject): Map<string, unknown> {
  const lines = new Map<string, unknown>();
  for (const [key, value] of Object.entries(entry)) {
    const field = own(fieldOfKey(key));
    if (Array.isArray(value)) {
      const name = listNames[field] ?? field;
      if (value.length === 0) lines.set(`${name}s`, value);
      value.forEach((item, index) => lines.set(`${name} ${index + 1}`, item));
    } else if (isObject(value)) {
      for (const [inner, item] of nested(value)) lines.set(`${mapNames[field] ?? field} ${inner}`, item);
    } else lines.set(names[field] ?? field, value);
  }
  return lines;
}

/** Quotes a name that every object inherits, such as `constructor`. */
function own(field: string): string {
  return Object.hasOwn(Object.prototype, field) ? `"${field}"` : field;
}

function nested(map: JsonObject): [string, unknown][] {
  const entries = Object.entries(map);
  if (entries.length === 0) return [['(empty)', {}]];
  return entries.flatMap(([key, value]): [string, unknown][] =>
    isObject(value) ? nested(value).map(([inner, item]) => [`${key}.${inner}`, item]) : [[key, value]],
  );
}
