/** Draws calls per hour as bars, failures on top, in the colours of the theme. `<div {@attach hourChart(() => hours)}>`. */
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ActivityOverview } from '../../../src-main/rpc/contract.ts';
import { hour } from '../../lib/format.ts';
import { toData } from './hour-data.ts';

type Hours = ActivityOverview['hours'];

export function hourChart(hours: () => Hours): Attachment<HTMLElement> {
  return (element) => {
    const chart = new uPlot(
      options(element),
      untrack(() => toData(hours())),
      element,
    );
    $effect(() => chart.setData(toData(hours())));
    const fit = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: element.clientHeight }));
    fit.observe(element);
    const repaint = (): void => chart.redraw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', repaint);
    // Colours of ours follow the person's own choice of theme, too.
    const theme = new MutationObserver(repaint);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      fit.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', repaint);
      chart.destroy();
    };
  };
}

function options(element: HTMLElement): uPlot.Options {
  const colour = (token: string) => () => resolved(element, token);
  const bars = uPlot.paths.bars?.({ size: [0.72, 28], align: 1, radius: 0.12 });
  const axis = {
    stroke: colour('--ink-soft'),
    font: `12px ${getComputedStyle(element).fontFamily}`,
    ticks: { show: false },
  };
  const series = (token: string): uPlot.Series => ({
    fill: colour(token),
    stroke: colour(token),
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
  });
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [8, 24, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: { range: (_, from, to) => [from, to + 3_600] },
      y: { range: (_, __, most) => [0, Math.max(4, most * 1.05)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 70,
        values: (_, times) => times.map((seconds) => hour(seconds * 1_000)),
      },
      {
        ...axis,
        grid: { stroke: colour('--line'), width: 1 },
        size: 42,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000],
      },
    ],
    series: [{}, series('--bad'), series('--accent')],
  };
}

/** A canvas does not know `light-dark()`. */
function resolved(element: HTMLElement, token: string): string {
  const before = element.style.color;
  element.style.color = `var(${token})`;
  const colour = getComputedStyle(element).color;
  element.style.color = before;
  return colour;
}
