/** Returns the width that the user gave a panel, in px; undefined for the default. `Splitter` stores it. */
export function loadPanelWidth(name: string): number | undefined {
  const stored = Number(localStorage.getItem(`tooltray.width.${name}`) ?? NaN);
  return Number.isFinite(stored) ? stored : undefined;
}
