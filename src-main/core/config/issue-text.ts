/** Words a failed zod validation for the user. Never quotes the value, because it may be a secret. */
import type { z } from 'zod';

const kinds: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object with names and values',
  record: 'an object with names and values',
  string: 'a string in double quotes',
};

/** A complete sentence for a zod issue. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${kinds[issue.expected] ?? issue.expected} is expected here.`.replace(/^\w/, (letter) =>
        letter.toUpperCase(),
      );
    case 'invalid_union':
      return 'A string in double quotes is expected here.';
    case 'invalid_value':
      return `This must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}.`;
    case 'too_small':
      if (issue.origin === 'string') return 'This string must not be empty.';
      return `This must be ${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}.`;
    case 'too_big':
      return `This must be at most ${issue.maximum}.`;
    default:
      return `${issue.message}.`;
  }
}
