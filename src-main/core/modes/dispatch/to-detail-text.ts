/** The text of a detailed answer: TOON, as mini-a writes it, and JSON for what TOON cannot say. */
import { toToon } from '../../results/toon.ts';

export function toDetailText(value: unknown): string {
  try {
    return toToon(value);
  } catch {
    return JSON.stringify(value);
  }
}
