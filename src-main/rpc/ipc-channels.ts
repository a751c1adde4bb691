/** The names that the dashboard's window and the main process call each other by. Imports nothing: the preload has it too. */

/** A question and its answer. */
export const requestChannel = 'tooltray:request';
/** "I no longer want the answer." */
export const takeBackChannel = 'tooltray:take-back';
/** "Tell me the state from now on." */
export const watchChannel = 'tooltray:watch';
/** Changes of the state go out on it. */
export const stateChannel = 'tooltray:state';
