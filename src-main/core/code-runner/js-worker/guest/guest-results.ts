/** Inside the VM: converts an MCP result for the code. */
import type { GuestValues } from './guest-values.ts';

export interface GuestResults {
  /**
   * structuredContent; otherwise the only text, parsed if it is JSON; otherwise the only item; otherwise all items;
   * null if none.
   */
  unwrap(result: unknown, exact: boolean): unknown;
  failed(result: unknown): boolean;
  /** The texts of a failed result. */
  failure(result: unknown): string;
}

/** Runs in the VM as text, so it must not refer to anything outside of its body. Python's host runs it as well. */
export function guestResults(values: Pick<GuestValues, 'fromJson'>): GuestResults {
  const { stringify } = JSON;
  const { isArray } = Array;

  function isRecord(value: unknown): value is Record<string, unknown> {
    return typeof value === 'object' && value !== null && !isArray(value);
  }

  /** A number or word is converted only if it round-trips: "007", "1.0" and long ids stay texts. */
  function parsed(text: string, exact: boolean): unknown {
    try {
      const value = values.fromJson(text, exact);
      return typeof value === 'object' || stringify(value) === text ? value : text;
    } catch {
      return text;
    }
  }

  function itemValue(item: unknown, exact: boolean): unknown {
    return isRecord(item) && item.type === 'text' && typeof item.text === 'string' ? parsed(item.text, exact) : item;
  }

  function unwrap(result: unknown, exact: boolean): unknown {
    if (!isRecord(result)) return result;
    if (result.structuredContent !== undefined && result.structuredContent !== null) return result.structuredContent;
    if (!isArray(result.content)) return result;
    const items = result.content.map((item) => itemValue(item, exact));
    if (items.length === 0) return null;
    return items.length === 1 ? items[0] : items;
  }

  function failed(result: unknown): boolean {
    return isRecord(result) && result.isError === true;
  }

  function failure(result: unknown): string {
    const items: unknown[] = isRecord(result) && isArray(result.content) ? result.content : [];
    const texts = items.map((item) => (isRecord(item) && typeof item.text === 'string' ? item.text : ''));
    return texts.filter((text) => text !== '').join('\n') || 'The tool failed without an error message.';
  }

  return { unwrap, failed, failure };
}
