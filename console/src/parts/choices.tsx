import { type Period, PERIODS } from "../answers.ts";

interface StateChoiceProperties<State extends string> {
  readonly states: readonly State[];
  readonly state: State | "";
  readonly choose: (state: State | "") => void;
}

/** Filters a list by state; empty: all states. */
export function StateChoice<State extends string>({ states, state, choose }: StateChoiceProperties<State>) {
  return (
    <label>
      <span class="label">State</span>
      <select
        value={state}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          choose(states.find((each) => each === chosen) ?? "");
        }}
      >
        <option value="">all</option>
        {states.map((each) => (
          <option key={each} value={each}>
            {each.toLowerCase().replaceAll("_", " ")}
          </option>
        ))}
      </select>
    </label>
  );
}

const NAMES: Readonly<Record<Period, string>> = {
  "15m": "15 min",
  "1h": "1 h",
  "24h": "24 h",
  "7d": "7 days",
  "30d": "30 days",
};

/** The length of each period, ms. */
export const LENGTHS: Readonly<Record<Period, number>> = {
  "15m": 900_000,
  "1h": 3_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
  "30d": 2_592_000_000,
};

/** Chooses the period of statistics. */
export function PeriodChoice({ period, choose }: { period: Period; choose: (period: Period) => void }) {
  return (
    <div class="actions" role="group" aria-label="Period">
      {PERIODS.map((each) => (
        <button
          key={each}
          type="button"
          class={each === period ? "small chosen" : "small"}
          aria-pressed={each === period}
          onClick={() => choose(each)}
        >
          {NAMES[each]}
        </button>
      ))}
    </div>
  );
}
