/** What the ledger takes for granted, in sentences for people. */

export const tokenizer = 'o200k_base';

export const assumptions: readonly string[] = [
  `Tokens are those of ${tokenizer}, counted over the JSON text of each result, error and notification; other models count somewhat differently.`,
  'Without Tooltray an app would have loaded the instructions of every server that is switched on once per session, and the whole lists as often as it asks for them by itself; ours are counted each time they are sent.',
  'Pictures, sound and files that were kept on disk count as nothing: what they would have cost depends on the model.',
  'Of an app that loads tools only when it needs them, on both sides the name and the first line of each tool are counted, and the whole definition from its first call on.',
  'A list counts once when it is sent, although an app shows it to its model again with every request.',
  'Answers that a program of the model worked on count as if the model had been given each of them whole.',
  'Resources, prompts, errors and notifications would be the same without Tooltray and are in no net.',
  'A connection to a single server changes nothing: its lists count the same on both sides.',
  'What a person tries by hand (this page, the command line, MCP Inspector, mcporter) is in no sum: no model reads it.',
  'Over HTTP of 2026-07-28, which knows no sessions, a session is what one app asks until it is silent for half an hour.',
  'Answers of over 4 MB, and those for which there was no room to wait, are estimates.',
];
