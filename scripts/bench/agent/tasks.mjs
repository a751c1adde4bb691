/** The six tasks of `npm run bench -- tasks` in words, one by one, and how each result is judged: by what was written. */

/** `[{name, task, key}]`; `key` is what `material.wrong()` calls it if it is not done. */
export function tasksOf(material) {
  const { people, notes, word, repository, summands, rows, row, time, results } = material;
  const writes = (key, what) =>
    `Then write the file ${results} with the JSON object {"${key}": …}, where … is ${what}, and nothing else.`;
  return [
    {
      key: 'memory',
      task: `Remember in the knowledge graph of the memory server: the person "${people.first}", the machine "${people.second}", and that the first one "${people.relation}" the second one (this exact word).`,
    },
    {
      key: 'note',
      task: `In the folder ${notes}, find the note that contains the word "${word}". ${writes('note', 'the name of that file without its folder')}`,
    },
    {
      key: 'commit',
      task: `Find the commit that added config.yml in the git repository ${repository}. ${writes('commit', 'its full hash')}`,
    },
    {
      key: 'sum',
      task: `Add ${summands.a} and ${summands.b} with a tool. ${writes('sum', 'the sum as a number')}`,
    },
    {
      key: 'row',
      task: `The file ${rows} has a list of rows. Find the row with the name "${row.name}". ${writes('row', 'its id as a number')}`,
    },
    {
      key: 'tokyo',
      task: `What time is it in ${time.to} when it is ${time.time} in ${time.from}? Use a tool. ${writes('tokyo', 'the time as HH:MM')}`,
    },
  ].map((one) => ({ name: one.key, ...one }));
}
