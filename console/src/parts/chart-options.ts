import type uPlot from "uplot";

/** A line of a chart. `tone` names its colour. */
export interface Line {
  readonly name: string;
  readonly tone: "accent" | "good" | "warn" | "bad";
  /** Null: there is no data, and no line is drawn. */
  readonly values: readonly (number | null)[];
  /** The states of the jobs that it counts, if it counts jobs that ended. */
  readonly states?: string;
}

/** The first slot and the last one of a part of a chart, by their beginnings, ms since 1970. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The address of the jobs in a part of a chart, of one line or of all. */
export type AddressOf = (part: Range, line: Line | undefined) => string;

/** What the numbers of a chart are: whole numbers, any numbers, or milliseconds. */
export type Scale = "count" | "rate" | "time";

/** A moment that all charts of a page show, such as a release. */
export interface Marker {
  /** Seconds since 1970. */
  readonly at: number;
  readonly name: string;
}

interface Drawn {
  readonly lines: readonly Line[];
  readonly scale: Scale;
  /** A value as text. */
  readonly text: (value: number) => string;
  readonly markers: () => readonly Marker[];
  /** Called with the index of the slot under the pointer, on this chart or another one of the page. */
  readonly hovered: (index: number | undefined) => void;
}

export const HEIGHT = 160;

const DAY = 86_400;
/** A range of more than this shows days, ms. Its labels have no time of day, which would repeat. */
const DAYS = 1.5 * DAY;
/** Distances of labels over days: whole days. Up to then those of uPlot. */
const WHOLE_DAYS = [1, 2, 3, 5, 7, 14].map((days) => days * DAY);
const HOURS = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200];

const TENS = [1, 2, 5].flatMap((digit) => Array.from({ length: 9 }, (_, power) => digit * 10 ** power));
const DECIMALS = [0.1, 0.2, 0.5];
/** In ms, so that labels are round in seconds, minutes and hours. */
const MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 300, 720, 1_440, 2_880].map((minutes) => minutes * 60_000);
const SECONDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000];

const byValue = (a: number, b: number): number => a - b;
const DISTANCES: Readonly<Record<Scale, number[]>> = {
  count: TENS.toSorted(byValue),
  rate: [...DECIMALS, ...TENS].toSorted(byValue),
  time: [...SECONDS, ...MINUTES],
};

/** The options of a chart that is drawn in `element`, with the colours of the page. */
export function optionsOf(element: HTMLElement, drawn: Drawn): uPlot.Options {
  const { lines, scale, text } = drawn;
  const soft = colourOf(element, "soft");
  const grid = { stroke: colourOf(element, "line"), width: 1 };
  const font = "11px system-ui, sans-serif";
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 }, sync: { key: "figures", setSeries: false } },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        stroke: soft,
        grid: { show: false },
        ticks: grid,
        font,
        size: 28,
        space: 60,
        incrs: ({ scales: { x } }) => (isDays(x) ? WHOLE_DAYS : HOURS),
        values: ({ scales: { x } }, times) => withoutRepeats(times.map((time) => timeText(time, isDays(x)))),
      },
      {
        stroke: soft,
        grid,
        ticks: { show: false },
        font,
        size: 58,
        space: 34,
        incrs: DISTANCES[scale],
        values: (_, values) => withoutRepeats(values.map((value) => text(value))),
      },
    ],
    series: [
      {},
      ...lines.map(({ name, tone }) => ({
        label: name,
        stroke: colourOf(element, tone),
        width: 1.75,
        spanGaps: false,
        points: { show: () => false, filter: alone, size: 4, fill: colourOf(element, tone) },
      })),
    ],
    hooks: {
      draw: [(plot) => drawMarkers(plot, drawn.markers(), soft)],
      setCursor: [({ cursor: { idx } }) => drawn.hovered(idx ?? undefined)],
    },
  };
}

/** How near to a line a click means that line, pixels. */
const NEAR = 14;

/** The line under the pointer; undefined: none, or several. */
export function lineUnderPointer(plot: uPlot, lines: readonly Line[]): Line | undefined {
  const { idx, top = 0 } = plot.cursor;
  if (idx == null) return undefined;
  const near = lines.filter(({ values }) => {
    const value = values[idx];
    return value != null && Math.abs(plot.valToPos(value, "y") - top) <= NEAR;
  });
  return near.length === 1 ? near[0] : undefined;
}

/** The time of a slot, as the axis and the text under the pointer show it. Of days only the date. */
export function timeText(seconds: number, isDate = false): string {
  const time = new Date(seconds * 1_000);
  if (isDate) return time.toLocaleDateString("en-US", { month: "short", day: "numeric" });
  return time.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

function isDays({
  min = 0,
  max = 0,
}: Partial<Record<"min" | "max", number | null | undefined>> = {}): boolean {
  return (max ?? 0) - (min ?? 0) > DAYS;
}

/** The same text twice would be two places with one name, such as in the hour that a clock repeats. */
function withoutRepeats(texts: readonly string[]): string[] {
  return texts.map((text, index) => (texts.indexOf(text) === index ? text : ""));
}

/** Values without a neighbour, which no line shows: they are drawn as points. */
function alone(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  return Array.from(values, (_, index) => index).filter(
    (index) => values[index] != null && values[index - 1] == null && values[index + 1] == null,
  );
}

/** A dashed line at each marker since the beginning of the range, with its name. */
function drawMarkers(plot: uPlot, markers: readonly Marker[], colour: string): void {
  const { ctx, bbox, scales } = plot;
  const { min, max } = scales["x"] ?? {};
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.font = `${Math.round(10 * devicePixelRatio)}px system-ui, sans-serif`;
  ctx.setLineDash([4, 4]);
  for (const { at, name } of markers) {
    if (min == null || max == null || at < min) continue;
    // The last slot is drawn at its beginning, and goes on until now.
    const x = Math.round(plot.valToPos(Math.min(at, max), "x", true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const isRight = x > bbox.left + bbox.width * 0.8;
    ctx.textAlign = isRight ? "right" : "left";
    ctx.fillText(name, x + (isRight ? -4 : 4), bbox.top + 10 * devicePixelRatio);
  }
  ctx.restore();
}

/** A colour of the style sheet, for a canvas. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
