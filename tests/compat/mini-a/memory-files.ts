/** Spills in memory, to check how they are read. */
import { AppError } from '../../../src-main/core/base/errors.ts';
import type { SpillQueryResult, SpillFiles, SpillQuery } from '../../../src-main/core/spills/spill-queries.ts';

export class MemoryFiles implements SpillFiles {
  readonly texts = new Map<string, string>();
  readonly asked: [file: string, question: SpillQuery][] = [];
  readonly select = (): Promise<never> => Promise.reject(new Error('no tables here'));
  readonly content = (): Promise<never> => Promise.reject(new Error('no resources here'));

  async query(file: string, question: SpillQuery): Promise<SpillQueryResult> {
    this.asked.push([file, question]);
    const text = await this.readText(file);
    return { text, fields: { totalLines: text.split('\n').length }, truncated: question.op === 'read' };
  }

  async readText(file: string): Promise<string> {
    if (file.endsWith('/')) throw new AppError('bad_request', 'It is a folder.');
    const text = this.texts.get(file);
    if (text === undefined) throw new AppError('not_found', 'There is no such file.');
    return text;
  }
}
