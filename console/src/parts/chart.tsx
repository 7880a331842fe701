import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import {
  type AddressOf,
  HEIGHT,
  type Line,
  lineUnderPointer,
  type Marker,
  optionsOf,
  type Range,
  type Scale,
  timeText,
} from "./chart-options.ts";
import { goToAddress } from "./route.ts";
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
  /** Where the jobs of a part are, of one line if that was clicked. Without it, a click does nothing. */
  readonly addressOf?: AddressOf;
}

/** A slot by its beginning, seconds since 1970, and a line of it. */
interface Picked {
  readonly time: number;
  readonly line: Line | undefined;
}

/**
 * Lines over time, drawn on a canvas, with the values under the pointer: all charts of a page show those of
 * the same time. Their space is reserved before they are drawn.
 */
export function Chart({ title, sentence, addressOf, ...drawn }: ChartProperties) {
  const { times, lines, text } = drawn;
  const [hovered, setHovered] = useState<number>();
  const [picked, setPicked] = useState<Picked>();
  const [place, plot] = usePlot(drawn, setHovered, (made, isTouch) => {
    const time = times[made.cursor.idx ?? -1];
    if (time === undefined || addressOf === undefined) return;
    const line = lineUnderPointer(made, lines);
    // A finger sees the values only once it has touched them.
    if (isTouch) setPicked({ time, line });
    else goToAddress(addressOf(rangeOf([time]), line));
  });
  const slot = picked === undefined ? -1 : times.indexOf(picked.time);
  const shown = hovered ?? (slot === -1 ? undefined : slot);
  const linked = slot === -1 ? times : times.slice(slot, slot + 1);
  function step(by: number): void {
    const from = slot === -1 ? times.length : slot;
    const time = times[Math.min(times.length - 1, Math.max(0, from + by))];
    if (time === undefined) return;
    setPicked({ time, line: undefined });
    const made = plot.current;
    made?.setCursor({ left: made.valToPos(time, "x"), top: 0 });
  }
  return (
    <figure class={addressOf === undefined ? "card chart" : "card chart opens"}>
      <figcaption>
        {title}
        <ul class="legend" aria-hidden="true">
          {lines.map(({ name, tone }) => (
            <li key={name} class={tone}>
              {name}
            </li>
          ))}
        </ul>
        {addressOf === undefined ? null : (
          <JobsLink
            href={times.length === 0 ? undefined : addressOf(rangeOf(linked), picked?.line)}
            of={slot === -1 ? "the whole time" : hoverText(picked?.time, lines, slot, text)}
            step={step}
          />
        )}
      </figcaption>
      <p class="soft hovered" aria-hidden="true">
        {shown === undefined ? "" : hoverText(times[shown], lines, shown, text)}
      </p>
      <div class="canvas" ref={place} role="img" aria-label={`${title}: ${sentence}`} />
    </figure>
  );
}

interface JobsLinkProperties {
  /** Undefined: nothing was read yet, and the link only keeps its space. */
  readonly href: string | undefined;
  readonly of: string;
  /** Goes to the next slot, or with -1 to the one before. */
  readonly step: (by: number) => void;
}

/** Opens what a click on the chart opens, for keys and fingers. */
function JobsLink({ href, of, step }: JobsLinkProperties) {
  return (
    <a
      href={href}
      class="show-jobs"
      aria-label={`Show jobs of ${of}`}
      title="The left and right arrow keys choose a time"
      onKeyDown={({ key }) => {
        if (key === "ArrowLeft") step(-1);
        if (key === "ArrowRight") step(1);
      }}
    >
      Show jobs
    </a>
  );
}

function rangeOf(times: readonly number[]): Range {
  return { from: (times[0] ?? 0) * 1_000, to: (times.at(-1) ?? 0) * 1_000 };
}

/** Draws the lines in the place that is returned, again with other colours or lines. */
function usePlot(
  { times, lines, scale, markers, text }: Omit<ChartProperties, "title" | "sentence" | "addressOf">,
  hovered: (index: number | undefined) => void,
  click: (made: uPlot, isTouch: boolean) => void,
) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const shownMarkers = useRef(markers);
  shownMarkers.current = markers;
  const clicked = useRef(click);
  clicked.current = click;
  const look = useLook();
  const names = lines.map(({ name }) => name).join();

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const drawn = { lines, scale, text, markers: () => shownMarkers.current, hovered };
    const made = new uPlot(optionsOf(element, drawn), [[], ...lines.map(() => [])], element);
    plot.current = made;
    let isTouch = false;
    made.over.addEventListener("pointerdown", ({ pointerType }) => (isTouch = pointerType === "touch"));
    made.over.addEventListener("click", () => clicked.current(made, isTouch));
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

  return [place, plot] as const;
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
