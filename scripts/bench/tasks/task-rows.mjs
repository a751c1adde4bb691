/** What the six tasks cost in a mode, as a row of the table, and where most of it went. */

/** What real models needed in 2026-11 (none was run in auto), and what each mode may cost at most. */
const trials = {
  proxy: 21_310,
  gateway: 11_230,
  meta: 16_016,
  search: 7956,
  code: 6086,
  dispatch: 8300,
  universal: 12_232,
  retrieve: 10_450,
};

export const goals = {
  auto: 5000,
  proxy: 16_000,
  gateway: 7000,
  meta: 6000,
  search: 5500,
  code: 4500,
  dispatch: 5500,
  universal: 6500,
  retrieve: 6500,
};

/** `before`: the same of another build. */
export function row(result, before) {
  const { mode, done, listed, exchanged } = result;
  const all = listed + exchanged;
  return {
    mode,
    done: `${done}/6`,
    list: listed,
    'calls (errors)': callsOf(result),
    'arguments and answers': exchanged,
    largest: result.largest.tokens,
    'in all': all,
    ...(before !== undefined && { before: before.listed + before.exchanged, 'calls before': callsOf(before) }),
    trial: trials[mode],
    goal: goals[mode],
    met: all <= goals[mode] ? 'yes' : `+${all - goals[mode]}`,
  };
}

function callsOf({ calls, errors }) {
  return `${calls} (${errors})`;
}

const purposes = ['searches', 'schemas', 'errors', 'reading on', 'calls'];

/** What the tokens of a mode went into. `calls` is what the tasks themselves cost, with what the mode adds to it. */
export function spendings({ mode, listed, steps }) {
  const sums = purposes.map((purpose) => [
    purpose,
    steps.filter((step) => step.purpose === purpose).reduce((sum, { asked, answered }) => sum + asked + answered, 0),
  ]);
  return { mode, list: listed, ...Object.fromEntries(sums) };
}

const maxSteps = 5;

/** The dearest calls of a mode, a line each. */
export function waste({ mode, steps, deadFirsts, guesses }) {
  const dear = [...steps].sort((a, b) => b.asked + b.answered - a.asked - a.answered).slice(0, maxSteps);
  const lines = dear.map(
    ({ name, args, asked, answered, isError }) =>
      `  ${asked} + ${answered}${isError ? ' (error)' : ''}: ${name} ${args}`,
  );
  const notes = [
    ...(guesses > 0 ? [`${guesses} tools called without having been shown what they take`] : []),
    ...(deadFirsts.length > 0 ? [`dead tools first: ${deadFirsts.join(', ')}`] : []),
  ];
  return [`${mode}: dearest calls (asked + answered)${notes.length > 0 ? `; ${notes.join('; ')}` : ''}`, ...lines].join(
    '\n',
  );
}
