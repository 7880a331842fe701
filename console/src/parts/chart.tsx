import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import {
  HEIGHT,
  type Line,
  lineUnderPointer,
  type Marker,
  optionsOf,
  type Scale,
  timeText,
} from "./chart-options.ts";
import { useLook } from "./theme.ts";

interface ChartProperties {
  readonly title: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly scale: Scale;
  readonly markers: readonly Marker[];
  /** A value as text. */
  readonly text: (value: number) => string;
  /** What the chart shows, in a sentence for screen readers. */
  readonly sentence: string;
  /** Called with the slot that was clicked, and with the line if one was. */
  readonly open: (index: number, line: Line | undefined) => void;
}

/**
 * Lines over time, drawn on a canvas, with the values under the pointer: all charts of a page show those of
 * the same time. Their space is reserved before they are drawn.
 */
export function Chart({ title, times, lines, scale, markers, text, sentence, open }: ChartProperties) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const shownMarkers = useRef(markers);
  shownMarkers.current = markers;
  const clicked = useRef<(made: uPlot) => void>(() => undefined);
  clicked.current = (made) => {
    const { idx } = made.cursor;
    if (idx != null) open(idx, lineUnderPointer(made, lines));
  };
  const [hovered, setHovered] = useState<number>();
  const look = useLook();
  const names = lines.map(({ name }) => name).join();

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const drawn = { lines, scale, text, markers: () => shownMarkers.current, hovered: setHovered };
    const made = new uPlot(optionsOf(element, drawn), [[], ...lines.map(() => [])], element);
    plot.current = made;
    made.over.addEventListener("click", () => clicked.current(made));
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
  }, [look, names, times, lines, markers]);

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
      <p class="soft hovered" aria-hidden="true">
        {hovered === undefined ? "" : hoverText(times[hovered], lines, hovered, text)}
      </p>
      <div class="canvas" ref={place} role="img" aria-label={`${title}: ${sentence}`} />
    </figure>
  );
}

/** Such as `Nov 20 14:05: waiting 3, running 1`. */
function hoverText(
  time: number | undefined,
  lines: readonly Line[],
  index: number,
  text: (value: number) => string,
): string {
  if (time === undefined) return "";
  const values = lines.map(({ name, values: all }) => {
    const value = all[index];
    return `${name} ${value === null || value === undefined ? "–" : text(value)}`;
  });
  return `${timeText(time, true)} ${timeText(time)}: ${values.join(", ")}`;
}
