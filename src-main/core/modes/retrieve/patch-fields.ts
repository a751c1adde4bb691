/** What a patch really changes: values that `list` shows and that come back unchanged are no change, masked secrets least of all. */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { mask } from '../../base/mask-mark.ts';

/** `shown` is the entry as list shows it. Throws AppError bad_request for a masked value that is none of the shown ones. */
export function changedFields(fields: JsonObject, shown: Readonly<JsonObject>): JsonObject {
  const changed: JsonObject = {};
  for (const [field, value] of Object.entries(fields)) {
    const before = shown[field === 'type' ? 'transport' : field];
    const after = isObject(value) && isObject(before) ? changedFields(value, before) : value;
    if (isDeepStrictEqual(value, before) || (isObject(after) && Object.keys(after).length === 0)) continue;
    if (!isObject(after) && JSON.stringify(after).includes(mask)) throw masked(field);
    changed[field] = after;
  }
  return changed;
}

function masked(field: string): AppError {
  return new AppError('bad_request', `"${field}" holds ${mask}, which stands for a secret that was hidden.`, {
    fix: 'Leave away what shall stay, or give the real value. Nothing was changed.',
  });
}
