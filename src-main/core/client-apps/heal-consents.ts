/** The places whose launches a person agreed to use: a yes counts for the place, once and for all. */
import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { isObject } from '../base/json.ts';

export class HealConsents {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async has(source: string): Promise<boolean> {
    return (await this.#read()).includes(source);
  }

  async give(source: string): Promise<void> {
    const given = await this.#read();
    if (given.includes(source)) return;
    await writeFileAtomic(this.#file, `${JSON.stringify({ sources: [...given, source] }, null, 2)}\n`, { mode: 0o600 });
  }

  /** A file that cannot be read holds no consent. */
  async #read(): Promise<readonly string[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '{}');
    const sources = parsed(text);
    return sources.filter((source): source is string => typeof source === 'string');
  }
}

function parsed(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && Array.isArray(value['sources']) ? (value['sources'] as unknown[]) : [];
  } catch {
    return [];
  }
}
