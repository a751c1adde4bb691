/**
 * The six tasks in one mode, through the shim: what they cost, what came of them, and whether a search led to a dead
 * tool.
 */
import { CarefulModel } from './careful-model.mjs';
import { AutoHand, CodeHand } from './hands/coding.mjs';
import { GatewayHand, ProxyHand } from './hands/listed.mjs';
import { MetaHand, UniversalHand } from './hands/looked-up.mjs';
import { DispatchHand, RetrieveHand, SearchHand } from './hands/searched.mjs';
import { idOf } from './catalog/catalog-task.mjs';
import { allQueries } from './needs.mjs';
import { doSixTasks } from './six-tasks.mjs';
import { TaskSession } from './task-session.mjs';

/** How a model acts in each mode. `auto` is what it chooses for the thirteen servers. */
export const hands = {
  auto: AutoHand,
  proxy: ProxyHand,
  gateway: GatewayHand,
  meta: MetaHand,
  search: SearchHand,
  code: CodeHand,
  dispatch: DispatchHand,
  universal: UniversalHand,
  retrieve: RetrieveHand,
};

export const taskModes = Object.keys(hands);
const taskCount = 6;

/** Whatever breaks the model off is told as `stopped`. */
export async function runMode(mode, { shim, env, servers, material, dead, log }) {
  material.reset();
  const session = await TaskSession.open({ shim, env, mode, log });
  const hand = new hands[mode](session, servers);
  const model = new CarefulModel(hand, session, material);
  let stopped;
  try {
    await model.begin(allQueries);
    await doSixTasks(model);
  } catch (error) {
    stopped = error.stack;
    log(`\n!! ${stopped}`);
  } finally {
    await session.close();
  }
  const wrong = material.wrong();
  const { listed, exchanged, calls, errors, largest, steps } = session;
  const deadFirsts = hand.firsts.map((tool) => idOf(tool, servers)).filter((name) => dead.has(name));
  const done = taskCount - wrong.length;
  log(
    `\n${mode}: ${done}/${taskCount}${wrong.length > 0 ? `, wrong: ${wrong.join(', ')}` : ''}, ${listed} + ${exchanged} tokens`,
  );
  return {
    mode,
    done,
    wrong,
    listed,
    exchanged,
    calls,
    errors,
    largest,
    steps,
    deadFirsts,
    guesses: model.guesses,
    stopped,
  };
}
