/** The commands about tools and their answers, as data. */
import type { Command } from './command.ts';
import { configFlag, jsonFlag } from './flag-texts.ts';

export const toolCommands: readonly Command[] = [
  {
    name: 'search',
    form: 'QUERY [--limit N] [--config F] [--json]',
    about: 'find tools by what they do',
    details: ['--limit N        at most so many (10)', configFlag, jsonFlag],
    group: 'Tools',
    load: () => import('./search.ts'),
  },
  {
    name: 'call',
    form: 'TOOL [JSON | -] [--raw] [--config F] [--json]',
    about: 'call a tool; - reads its arguments from stdin',
    details: [
      '--raw            text exactly as the server sent it',
      '--json           the whole result as JSON',
      configFlag,
      '',
      '  tooltray call utils:current_time \'{"timezone": "Europe/Paris"}\'',
      'Exit code 1 when the tool reports an error.',
    ],
    group: 'Tools',
    load: () => import('./call.ts'),
  },
  {
    name: 'spills',
    form: '[list | show ID | head ID | grep ID PATTERN | query ID JSONPATH | pin ID | unpin ID | delete ID | prune] [--json]',
    about: 'look into the long answers that are kept on disk',
    details: [
      'list             all of them, the newest first',
      'show ID          where it is from, where it lies, its first lines',
      'head ID          its first lines',
      'grep ID PATTERN  the lines that match a regular expression',
      'query ID PATH    what a JSONPath finds: $.items[*].name',
      'pin, unpin ID    keep it for good, or no longer',
      'delete ID        delete it now',
      'prune            delete what is too old or too much',
      '',
      '--lines N        how many lines to show, 20 by default',
      configFlag,
      jsonFlag,
    ],
    group: 'Tools',
    load: () => import('./spills.ts'),
  },
];
