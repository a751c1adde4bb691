/** Result files that are kept in memory, to see what is asked of a store. */
import { AppError } from '../../../../src-main/core/base/errors.ts';
import type { ResultFiles, ResultQuestion } from '../../../../src-main/core/results/result-files.ts';

export class MemoryFiles implements ResultFiles {
  readonly texts = new Map<string, string>();
  readonly asked: [file: string, question: ResultQuestion][] = [];
  threshold = 0;
  isFull = false;

  check(): void {
    if (this.isFull) throw full();
  }

  async keep(result: unknown): Promise<{ file: string; format: 'json'; bytes: number }> {
    if (this.isFull) throw full();
    const text = JSON.stringify(result, null, 1);
    const file = `/kept/${this.texts.size + 1}.json`;
    this.texts.set(file, text);
    return { file, format: 'json', bytes: Buffer.byteLength(text) };
  }

  async query(
    file: string,
    question: ResultQuestion,
  ): Promise<{ text: string; fields: { totalLines: number }; truncated: boolean }> {
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

function full(): AppError {
  return new AppError('unsupported', 'The disk is full.');
}
