/** Finds lines by plain text or by a regular expression that a model wrote, which must not be able to hang the app. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createContext, Script } from 'node:vm';
import type { Context } from 'node:vm';
import { AppError } from '../../base/errors.ts';
import { errorCode } from '../../security/file-error.ts';

export interface FoundLine {
  /** Index into the lines given. */
  readonly index: number;
  /** Where in the line, in UTF-16 units. */
  readonly at: number;
}

export interface TextFinder {
  /** The first `most` lines that match. Throws AppError `bad_request` for an expression that takes too long. */
  find(lines: readonly string[], most: number): Promise<FoundLine[]>;
}

/** Longest expression, in characters. */
const maxExpression = 500;

/** Characters tried in one go, and what is looked at of one line. */
const batchCharacters = 64 * 1024;
const lineCharacters = 4096;

/** ms for one batch: the longest that the whole app can be held up. */
const batchTime = 250;

/** Case does not matter. */
export function plainFinder(text: string): TextFinder {
  const wanted = text.toLowerCase();
  return {
    find: (lines, most) => {
      const found: FoundLine[] = [];
      for (let index = 0; index < lines.length && found.length < most; index++) {
        const at = lines[index]?.toLowerCase().indexOf(wanted) ?? -1;
        if (at >= 0) found.push({ index, at });
      }
      return Promise.resolve(found);
    },
  };
}

/** Throws AppError `bad_request` if it is not a JavaScript expression or too long. */
export function regexFinder(source: string): TextFinder {
  const context: Context = createContext({ expression: compile(source), lines: [], most: 0 });
  // Only this script of ours runs in the context; node:vm is here because its time limit interrupts a match, too.
  const script = new Script(`(() => {
    const found = [];
    for (let index = 0; index < lines.length && found.length < most; index++) {
      const at = lines[index].search(expression);
      if (at >= 0) found.push({ index, at });
    }
    return found;
  })()`);
  return {
    async find(lines, most) {
      const found: FoundLine[] = [];
      for (let start = 0; start < lines.length && found.length < most;) {
        const batch = batchFrom(lines, start);
        Object.assign(context, { lines: batch, most: most - found.length });
        for (const { index, at } of runLimited(script, context)) found.push({ index: start + index, at });
        start += batch.length;
        await nextTurn();
      }
      return found;
    },
  };
}

function compile(source: string): RegExp {
  if (source.length > maxExpression) throw new AppError('bad_request', 'The expression is longer than 500 characters.');
  try {
    return new RegExp(source, 'u');
  } catch {
    // Expressions written for other languages escape characters that mode "u" does not let one escape.
  }
  try {
    return new RegExp(source);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : '';
    throw new AppError('bad_request', reason, { fix: 'Use JavaScript syntax, or search for plain text.', cause });
  }
}

function batchFrom(lines: readonly string[], start: number): string[] {
  const batch: string[] = [];
  for (let index = start, size = 0; index < lines.length && size < batchCharacters; index++) {
    const line = lines[index]?.slice(0, lineCharacters) ?? '';
    batch.push(line);
    size += line.length;
  }
  return batch;
}

function runLimited(script: Script, context: Context): FoundLine[] {
  try {
    return script.runInContext(context, { timeout: batchTime }) as FoundLine[];
  } catch (cause) {
    const slow = errorCode(cause) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    throw new AppError('bad_request', `The expression ${slow ? 'takes too long' : 'cannot be run'}.`, {
      fix: 'Make it simpler (no repeat within a repeat), or search for plain text.',
      cause,
    });
  }
}
