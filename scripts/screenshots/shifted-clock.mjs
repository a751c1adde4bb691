/**
 * Loaded before a core: its clock is ahead or behind by as much as its parent says, so that a week is lived in minutes.
 */
import process from 'node:process';

const Real = Date;
let aheadMs = 0;

globalThis.Date = class Date extends Real {
  constructor(...when) {
    super(...(when.length === 0 ? [Real.now() + aheadMs] : when));
  }

  static now() {
    return Real.now() + aheadMs;
  }
};
process.on('message', (message) => {
  aheadMs = Math.round(message.aheadMs);
  process.send?.({ aheadMs });
});
process.channel?.unref();
