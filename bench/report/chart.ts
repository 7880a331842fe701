import type { Outcome } from "../rounds.ts";
import { figuresOf, median, rowsOf } from "../workload.ts";

interface Bar {
  readonly name: string;
  readonly values: readonly number[];
}

const WIDTH = 900;
const LABELS = 330;
const BAR = 16;
const STEP = 26;
const RIGHT = 90;
const TITLE = 44;

/** Colours for light and for dark pages. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px }
  .own { fill: #1a7f64 }
  .peer { fill: #8c959f }
  .range { stroke: #1f2328; stroke-width: 1.5 }
  .page { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .own { fill: #3fb68f }
    .peer { fill: #6e7681 }
    .range { stroke: #e6edf3 }
    .page { fill: #0d1117 }
  }
`;

/** Bars of the workloads that have a column for it: medians, and a line from the least to the most. */
export function svgChart(outcomes: readonly Outcome[]): string | undefined {
  const panels = outcomes.flatMap((outcome) => {
    const bars = barsOf(outcome);
    return bars.length === 0 ? [] : [{ title: titleOf(outcome), bars }];
  });
  if (panels.length === 0) return undefined;
  const drawn: string[] = [];
  let top = 0;
  for (const { title, bars } of panels) {
    drawn.push(`<text class="title" x="12" y="${top + 28}">${escaped(title)}</text>`);
    const most = Math.max(...bars.flatMap(({ values }) => values));
    bars.forEach((bar, index) => drawn.push(barOf(bar, top + TITLE + index * STEP, most)));
    top += TITLE + bars.length * STEP;
  }
  const height = top + 12;
  const size = `viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
    "<title>Benchmark: medians, with lines from the least to the most of the rounds</title>",
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

function titleOf({ workload }: Outcome): string {
  const column = workload.columns.find(({ key }) => key === workload.chart);
  return `${workload.title}, ${column?.title ?? ""}`;
}

function barsOf({ workload: { chart }, rounds }: Outcome): Bar[] {
  if (chart === undefined) return [];
  return rowsOf(rounds).flatMap((name) => {
    const values = figuresOf(rounds, name, chart);
    return values.length === 0 ? [] : [{ name, values }];
  });
}

function barOf({ name, values }: Bar, y: number, most: number): string {
  const scale = (value: number): number =>
    LABELS + (most === 0 ? 0 : value / most) * (WIDTH - LABELS - RIGHT);
  const [least, middle, top] = [Math.min(...values), median(values), Math.max(...values)];
  const at = (value: number): string => scale(value).toFixed(1);
  const middleOfBar = y + BAR / 2;
  const width = (scale(middle) - LABELS).toFixed(1);
  const [value, valueAt] = [Math.round(middle).toLocaleString("en"), (scale(top) + 6).toFixed(1)];
  const kind = name.startsWith("Forebay") ? "own" : "peer";
  return [
    `<text x="${LABELS - 8}" y="${y + 13}" text-anchor="end">${escaped(shortened(name))}</text>`,
    `<rect class="${kind}" x="${LABELS}" y="${y}" width="${width}" height="${BAR}" rx="2"/>`,
    `<line class="range" x1="${at(least)}" y1="${middleOfBar}" x2="${at(top)}" y2="${middleOfBar}"/>`,
    `<text x="${valueAt}" y="${y + 13}">${value}</text>`,
  ].join("");
}

function shortened(name: string): string {
  const text = name.replace(/^peer: /, "");
  return text.length <= 46 ? text : `${text.slice(0, 45)}…`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
