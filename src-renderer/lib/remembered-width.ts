/** How wide somebody made a part of the page, in px; undefined: as it comes. `Splitter` writes it. */
export function loadPanelWidth(name: string): number | undefined {
  const stored = Number(localStorage.getItem(`tooltray.width.${name}`) ?? NaN);
  return Number.isFinite(stored) ? stored : undefined;
}
