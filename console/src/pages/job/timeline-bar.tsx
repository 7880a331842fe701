import { useState } from "preact/hooks";
import { spanText } from "../../parts/when.tsx";

/** A part of an attempt. Times are ms since 1970. */
export interface BarSpan {
  readonly name: string;
  /** Its class, which gives it its colour. */
  readonly kind: string;
  readonly from: number;
  readonly end: number;
}

/** The time from the left end of a bar to its right end, ms since 1970. */
export interface BarRange {
  readonly begin: number;
  readonly end: number;
}

const WIDTH = 1_000;

/** The smallest visible part. */
const LEAST = 3;

/**
 * The parts of an attempt on one bar. Pointing at a part shows its name, start and length; the words below
 * the bar say the same.
 */
export function TimelineBar({ spans, range }: { spans: readonly BarSpan[]; range: BarRange }) {
  const [at, setAt] = useState<number>();
  const length = Math.max(1, range.end - range.begin);
  const place = (time: number): number =>
    Math.min(WIDTH, Math.max(0, ((time - range.begin) * WIDTH) / length));

  function point(event: PointerEvent): void {
    if (!(event.currentTarget instanceof Element)) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setAt(((event.clientX - left) * WIDTH) / Math.max(1, width));
  }

  const hint = at === undefined ? undefined : nearest(spans, place, at);
  return (
    <div
      class="bar-with-hint"
      aria-hidden="true"
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={() => setAt(undefined)}
    >
      <svg class="attempts-bar" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none">
        {spans.map(({ name, kind, from, end }, index) => {
          const x = Math.min(place(from), WIDTH - LEAST);
          const width = Math.max(LEAST, place(end) - x);
          return (
            <rect
              key={index}
              class={hint?.from === from && hint.name === name ? `${kind} pointed` : kind}
              x={x}
              y={0}
              width={width}
              height={10}
            />
          );
        })}
      </svg>
      {hint === undefined ? null : (
        <span class={place(hint.from) > WIDTH / 2 ? "bar-hint right" : "bar-hint"}>
          <strong>{hint.name}</strong> {spanText(Math.max(0, hint.end - hint.from))}, from{" "}
          {new Date(hint.from).toISOString().slice(11, 23)} (+
          {spanText(Math.max(0, hint.from - range.begin))})
        </span>
      )}
    </div>
  );
}

/** The part that lies on top at this place, or the nearest one: some are three pixels wide. */
function nearest(
  spans: readonly BarSpan[],
  place: (time: number) => number,
  at: number,
): BarSpan | undefined {
  const distance = ({ from, end }: BarSpan): number => Math.max(0, place(from) - at, at - place(end));
  return spans.toReversed().toSorted((one, other) => distance(one) - distance(other))[0];
}
