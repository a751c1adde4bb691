/** The user's width for a panel, in px; undefined for the default. Stored by `Splitter`. */
export function loadPanelWidth(name: string): number | undefined {
  const stored = Number(localStorage.getItem(`tooltray.width.${name}`) ?? NaN);
  return Number.isFinite(stored) ? stored : undefined;
}
