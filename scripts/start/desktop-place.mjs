/** Whether a desktop app can run here at all. */

/** Answers why not, as words that fit in brackets; undefined if it can. */
export function whyNoDesktop({ platform, env, isRoot }) {
  // Somebody who names an Electron of their own knows what it needs.
  if (env.ELECTRON_OVERRIDE_DIST_PATH) return undefined;
  if (platform !== 'linux') return undefined;
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return 'there is no display';
  if (isRoot) return 'Electron does not run as root';
  return undefined;
}
