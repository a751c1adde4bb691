/**
 * The action `batch` of the proxy tool: several operations in one call, in their order, one after the other, because a later one
 * may need what an earlier one did. Source: MCP Proxy Extension 0.1.0, appendix A.1, which leaves the answer open.
 */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { errorResult } from '../../calls/error-result.ts';
import type { Result } from '../../wire/message.ts';
import { fact, toObject } from '../../wire/raw-json.ts';
import { proxyMetaKey } from './proxy-facts.ts';

type Run = (operation: JsonObject) => Promise<Result>;

/** The items of all answers; each says of which operation it is. It is an error as a whole only where every one failed. */
export async function runBatch(operations: readonly JsonObject[], run: Run, signal: AbortSignal): Promise<JsonObject> {
  const results: JsonObject[] = [];
  for (const operation of operations) {
    signal.throwIfAborted();
    results.push(await runOne(operation, run));
  }
  const content = results.flatMap((result, index) => itemsOf(result, index));
  return { content, ...(results.every((result) => result['isError'] === true) && { isError: true }) };
}

/** A failure is the answer to that operation; the others go on. */
async function runOne(operation: JsonObject, run: Run): Promise<JsonObject> {
  try {
    if (operation['action'] === 'batch') throw new AppError('bad_request', 'A batch cannot hold another batch.');
    const result = await run(operation);
    if (fact(result, 'resultType') !== 'input_required') return toObject(result);
    throw new AppError('unsupported', 'The server has a question to the person, which a batch cannot carry.', {
      fix: 'Call it on its own.',
    });
  } catch (error) {
    if (error instanceof AppError && error.code === 'cancelled') throw error;
    return errorResult(error);
  }
}

function itemsOf({ content, structuredContent, isError }: JsonObject, operation: number): JsonObject[] {
  const items = Array.isArray(content) ? (content as unknown[]).filter(isObject) : [];
  // What has no item of its own would be lost, and with it the place of the operation.
  const shown = items.length > 0 ? items : [{ type: 'text', text: JSON.stringify(structuredContent ?? null) }];
  return shown.map((item) => markItem(item, { operation, ...(isError === true && { isError }) }));
}

function markItem(item: JsonObject, mark: JsonObject): JsonObject {
  const { annotations, _meta } = item;
  const meta = isObject(_meta) ? _meta : {};
  const said = isObject(meta[proxyMetaKey]) ? meta[proxyMetaKey] : {};
  return {
    ...item,
    annotations: { ...(isObject(annotations) && annotations), ...mark },
    _meta: { ...meta, [proxyMetaKey]: { ...said, ...mark } },
  };
}
