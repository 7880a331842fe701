import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { useLook } from "./theme.ts";

/** A line of a chart. `tone` names its colour. */
interface Line {
  readonly name: string;
  readonly tone: "accent" | "good" | "warn" | "bad";
  readonly values: readonly (number | null)[];
}

interface ChartProperties {
  readonly title: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** A value as text. */
  readonly text: (value: number) => string;
  /** What the chart shows, in a sentence for screen readers. */
  readonly sentence: string;
}

const HEIGHT = 160;

/** Lines over time, drawn on a canvas. Its space is reserved before it is drawn. */
export function Chart({ title, times, lines, text, sentence }: ChartProperties) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const look = useLook();
  const names = lines.map(({ name }) => name).join();

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const made = new uPlot(optionsOf(element, lines, text), [[], ...lines.map(() => [])], element);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [look, names]);

  useEffect(() => {
    plot.current?.setData([[...times], ...lines.map(({ values }) => [...values])]);
  }, [look, names, times, lines]);

  return (
    <figure class="card chart">
      <figcaption>
        {title}
        <ul class="legend" aria-hidden="true">
          {lines.map(({ name, tone }) => (
            <li key={name} class={tone}>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="canvas" ref={place} role="img" aria-label={`${title}: ${sentence}`} />
    </figure>
  );
}

function optionsOf(
  element: HTMLElement,
  lines: readonly Line[],
  text: (value: number) => string,
): uPlot.Options {
  const soft = colourOf(element, "soft");
  const grid = { stroke: colourOf(element, "line"), width: 1 };
  const font = "11px system-ui, sans-serif";
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { stroke: soft, grid: { show: false }, ticks: grid, font, size: 28 },
      {
        stroke: soft,
        grid,
        ticks: { show: false },
        font,
        size: 58,
        space: 34,
        values: (_, values) => values.map((value) => text(value)),
      },
    ],
    series: [
      {},
      ...lines.map(({ name, tone }) => ({
        label: name,
        stroke: colourOf(element, tone),
        width: 1.75,
        spanGaps: true,
        points: { show: false },
      })),
    ],
  };
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
