/** Reverts an edit of the config file, as far as its values are unchanged since. */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../base/errors.ts';
import { type JsonObject, objectOrEmpty } from '../base/json.ts';
import {
  addServer,
  hasServer,
  removeServer,
  replaceEntry,
  setTopLevel,
  rawEntry,
  rawSetting,
} from '../config/edit-config.ts';

/** A written edit; without `entry` or `before` there is or was none. */
export type AppliedEdit =
  | {
      readonly kind: 'entry';
      readonly server: string;
      readonly entry?: JsonObject | undefined;
      readonly before?: JsonObject | undefined;
    }
  | { readonly kind: 'setting'; readonly key: string; readonly value: unknown; readonly before: unknown };

/** Restores the previous content where known. Throws AppError `config_invalid`, or as config/edit-config.ts does. */
export function revertEdit(text: string, edit: AppliedEdit): string {
  if (edit.kind === 'entry') {
    const { server, before } = edit;
    if (before === undefined) return removeServer(text, server);
    return hasServer(text, server) ? replaceEntry(text, server, before) : addServer(text, server, before);
  }
  const [group = '', member] = edit.key.split('.');
  const written = rawSetting(text, group);
  if (written === undefined) {
    throw new AppError('config_invalid', `${edit.key} was set by a key that Tooltray did not write.`, {
      fix: 'Remove it from the config file manually.',
    });
  }
  if (member === undefined) return setTopLevel(text, group, edit.before);
  return setTopLevel(text, group, { ...objectOrEmpty(written), [member]: edit.before });
}

/** Throws AppError `config_conflict` if the value has changed since. */
export function assertUnchanged(text: string, edit: AppliedEdit): void {
  if (edit.kind !== 'entry') return;
  const now = hasServer(text, edit.server) ? rawEntry(text, edit.server) : undefined;
  if (isDeepStrictEqual(plain(now), plain(edit.entry))) return;
  throw new AppError('config_conflict', `"${edit.server}" has changed since this decision.`, {
    fix: 'Change it manually. Nothing was changed.',
  });
}

/** Returns the entry in its stored form, so that both compare equal. */
function plain(entry: JsonObject | undefined): unknown {
  return entry === undefined ? undefined : (JSON.parse(JSON.stringify(entry)) as unknown);
}
