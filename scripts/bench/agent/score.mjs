/** Figures of a mode, from all runs of all tasks. */

/**
 * `runs`: `[{task, solved, calls, errors, usage, stopped}]`. `pass^k`: the share of tasks that were solved in every one
 * of their k runs. `prices`: money per million tokens, `{input, output}`; undefined: no money is reported.
 */
export function scoreOf(mode, runs, prices) {
  const byTask = [...Map.groupBy(runs, ({ task }) => task).values()];
  const k = Math.max(0, ...byTask.map((own) => own.length));
  const solved = runs.filter((run) => run.solved).length;
  const input = sum(runs, ({ usage }) => usage.input);
  const output = sum(runs, ({ usage }) => usage.output);
  const money = prices === undefined ? undefined : (input * prices.input + output * prices.output) / 1_000_000;
  return {
    mode,
    runs: runs.length,
    solved,
    k,
    passK: byTask.length === 0 ? 0 : byTask.filter((own) => own.every((run) => run.solved)).length / byTask.length,
    input,
    output,
    calls: sum(runs, (run) => run.calls),
    errors: sum(runs, (run) => run.errors),
    money,
    moneyPerSolved: money === undefined || solved === 0 ? undefined : money / solved,
    stopped: runs.flatMap(({ task, stopped }) => (stopped === undefined ? [] : [`${task}: ${stopped}`])),
  };
}

/** The same for a table. */
export function scoreRow({ mode, runs, solved, k, passK, input, output, calls, errors, money, moneyPerSolved }) {
  return {
    mode,
    solved: `${solved}/${runs}`,
    [`pass^${k}`]: passK.toFixed(2),
    'tokens in': input,
    out: output,
    'per run': runs === 0 ? 0 : Math.round((input + output) / runs),
    'calls (errors)': `${calls} (${errors})`,
    ...(money !== undefined && {
      money: money.toFixed(4),
      'per solved': moneyPerSolved === undefined ? 'none' : moneyPerSolved.toFixed(4),
    }),
  };
}

function sum(runs, of) {
  return runs.reduce((total, run) => total + of(run), 0);
}
