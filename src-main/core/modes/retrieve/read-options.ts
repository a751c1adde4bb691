/** Options as models write them: numbers and switches also as texts. */
import { plainNumber } from '../../base/json.ts';

/** Between 1 and `most`; `usual` for what is no number, or none above zero. */
export function readCount(value: unknown, usual: number, most: number): number {
  const wanted = typeof value === 'string' ? Number.parseFloat(value) : plainNumber(value);
  if (typeof wanted !== 'number' || !Number.isFinite(wanted) || wanted < 1) return usual;
  return Math.min(Math.trunc(wanted), most);
}

export function readSwitch(value: unknown): boolean {
  return value === true || value === 'true';
}

/** Trimmed; undefined for what is no text or an empty one. */
export function readText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}
