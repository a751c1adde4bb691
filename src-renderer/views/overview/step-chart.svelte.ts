/**
 * Draws bars over steps of time in the colours of the theme, with the chosen step marked and moments above it.
 *
 *     <div {@attach stepChart(() => drawing, { onpoint, onpick })}>
 */
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface StepBars {
  /** A colour of the theme: `--accent`. */
  readonly token: string;
  readonly values: readonly number[];
  /** Beside another one of its step; else over those that were drawn before. */
  readonly side?: 'left' | 'right';
}

export interface StepDrawing {
  /** What stands below each step. */
  readonly labels: readonly string[];
  readonly bars: readonly StepBars[];
  /** The step that is read now. */
  readonly chosen: number;
  /** Steps in which something happened, and whether it was a change of the mode. */
  readonly marks: readonly { readonly step: number; readonly isMode: boolean }[];
  readonly inWords: (value: number) => string;
}

interface StepEvents {
  /** The pointer is over this step; undefined: it has left. */
  readonly onpoint: (step: number | undefined) => void;
  readonly onpick: (step: number) => void;
}

export function stepChart(drawing: () => StepDrawing, events: StepEvents): Attachment<HTMLElement> {
  return (element) => {
    let current = untrack(drawing);
    const chart = new uPlot(
      options(element, () => current),
      toData(current),
      element,
    );
    $effect(() => {
      current = drawing();
      chart.setData(toData(current));
    });
    const stepAt = (event: MouseEvent): number | undefined => {
      const step = Math.round(chart.posToVal(event.offsetX, 'x'));
      return step >= 0 && step < current.labels.length ? step : undefined;
    };
    const point = (event: MouseEvent): void => events.onpoint(stepAt(event));
    const leave = (): void => events.onpoint(undefined);
    const pick = (event: MouseEvent): void => {
      const step = stepAt(event);
      if (step !== undefined) events.onpick(step);
    };
    chart.over.addEventListener('mousemove', point);
    chart.over.addEventListener('mouseleave', leave);
    chart.over.addEventListener('click', pick);
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

function toData({ labels, bars }: StepDrawing): uPlot.AlignedData {
  return [labels.map((_, at) => at), ...bars.map(({ values }) => [...values])];
}

function options(element: HTMLElement, drawing: () => StepDrawing): uPlot.Options {
  const colour = (token: string) => () => resolved(element, token);
  const axis = {
    stroke: colour('--ink-soft'),
    font: `12px ${getComputedStyle(element).fontFamily}`,
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [14, 8, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [-0.5, drawing().labels.length - 0.5] },
      y: { range: (_, __, most) => [0, Math.max(4, most * 1.05)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 64,
        incrs: [1, 2, 3, 4, 6, 7, 12, 14, 21, 28],
        values: (_, steps) => steps.map((step) => drawing().labels[step] ?? ''),
      },
      {
        ...axis,
        grid: { stroke: colour('--line'), width: 1 },
        size: 48,
        space: 40,
        values: (_, values) => values.map((value) => (Number.isInteger(value) ? drawing().inWords(value) : '')),
      },
    ],
    series: [{}, ...drawing().bars.map((bars) => series(bars, colour(bars.token)))],
    hooks: {
      drawAxes: [(chart) => drawChosen(chart, drawing(), resolved(element, '--chosen'))],
      draw: [(chart) => drawMarks(chart, drawing(), resolved(element, '--ink-soft'))],
    },
  };
}

function series({ side }: StepBars, colour: () => string): uPlot.Series {
  const align = side === undefined ? 0 : side === 'left' ? -1 : 1;
  const paths = uPlot.paths.bars?.({ size: [side === undefined ? 0.72 : 0.38, 28, 1], align, radius: 0.12 });
  return { fill: colour, stroke: colour, width: 0, points: { show: false }, ...(paths && { paths }) };
}

/** A band behind the bars of the step that is read. */
function drawChosen(chart: uPlot, { chosen }: StepDrawing, fill: string): void {
  const { ctx, bbox } = chart;
  const [from, to] = [chart.valToPos(chosen - 0.5, 'x', true), chart.valToPos(chosen + 0.5, 'x', true)];
  ctx.save();
  ctx.fillStyle = fill;
  ctx.fillRect(from, bbox.top, to - from, bbox.height);
  ctx.restore();
}

/** A triangle where the core started, a diamond with a line where the mode became another. */
function drawMarks(chart: uPlot, { marks }: StepDrawing, colour: string): void {
  const { ctx, bbox } = chart;
  const unit = 4 * devicePixelRatio;
  ctx.save();
  [ctx.fillStyle, ctx.strokeStyle, ctx.lineWidth] = [colour, colour, devicePixelRatio];
  for (const { step, isMode } of marks) {
    const [x, y] = [chart.valToPos(step, 'x', true), bbox.top - 1.6 * unit];
    ctx.beginPath();
    ctx.moveTo(x, y - unit);
    ctx.lineTo(x + unit, isMode ? y : y + unit);
    ctx.lineTo(x, y + unit);
    ctx.lineTo(x - unit, isMode ? y : y + unit);
    ctx.closePath();
    ctx.fill();
    if (!isMode) continue;
    ctx.setLineDash([unit / 2, unit / 2]);
    ctx.beginPath();
    ctx.moveTo(x, y + unit);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
  }
  ctx.restore();
}

/** A canvas does not know `light-dark()`. */
function resolved(element: HTMLElement, token: string): string {
  const before = element.style.color;
  element.style.color = `var(${token})`;
  const colour = getComputedStyle(element).color;
  element.style.color = before;
  return colour;
}
