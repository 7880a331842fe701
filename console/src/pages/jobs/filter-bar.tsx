import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { JOB_STATES } from "../../answers.ts";
import {
  type FilterName,
  filtersIn,
  type JobFilters,
  type JobListPlace,
  listAddress,
  statesOf,
  withFilters,
} from "../../parts/job-filters.ts";
import { goToAddress, routeNow } from "../../parts/route.ts";
import { useEndpointNames } from "../../parts/use-polled.ts";
import { isoText, localText } from "../../parts/when.tsx";

/** Choices of a beginning, ms ago. */
const TIMES = [
  { name: "Last hour", ms: 3_600_000 },
  { name: "24 h", ms: 86_400_000 },
  { name: "7 days", ms: 604_800_000 },
] as const;

interface TextFilter {
  readonly name: FilterName;
  readonly label: string;
  readonly example?: string;
  readonly isWide?: boolean;
}

const TEXTS: readonly TextFilter[] = [
  { name: "error", label: "Error contains", example: "out of memory", isWide: true },
  { name: "tag", label: "Tag" },
  { name: "minDuration", label: "Ran at least", example: "10s, 5m, 1h" },
  { name: "id", label: "Id starts with" },
  { name: "worker", label: "Worker" },
  { name: "version", label: "Release" },
];

/** What narrows the list. Each choice is in the address, so a reload, "back" and a sent link keep it. */
export function FilterBar({ place }: { place: JobListPlace }) {
  const { endpoint, filters } = place;
  const [isWide] = useState(() => matchMedia("(min-width: 800px)").matches);
  const count = Object.keys(filters).filter((name) => name !== "state").length;
  const change = (changes: JobFilters, isSame = false): void =>
    goToAddress(listAddress({ endpoint, filters: withFilters(filtersNow(), changes) }), isSame);
  return (
    <search class="filters" aria-label="Filters">
      <div class="bar">
        <StateFilter filters={filters} change={change} />
        <div class="actions" role="group" aria-label="Ended since">
          {TIMES.map(({ name, ms }) => (
            <button
              key={name}
              type="button"
              class="small"
              onClick={() => change({ from: new Date(Date.now() - ms).toISOString(), to: "" })}
            >
              {name}
            </button>
          ))}
        </div>
        {Object.keys(filters).length === 0 ? null : (
          <a class="button small" href={listAddress({ endpoint, filters: {} })}>
            Clear filters
          </a>
        )}
      </div>
      <details open={isWide}>
        <summary>{count === 0 ? "More filters" : `More filters (${count} set)`}</summary>
        <form class="filter-fields" onSubmit={(event) => event.preventDefault()}>
          {endpoint === undefined ? <EndpointFilter filters={filters} change={change} /> : null}
          <TimeFilter name="from" label="Ended from" filters={filters} change={change} />
          <TimeFilter name="to" label="Ended before" filters={filters} change={change} />
          {TEXTS.map(({ name, label, example, isWide: isBroad }) => (
            <Labelled key={name} label={label} isWide={isBroad}>
              {(id) => (
                <Kept
                  id={id}
                  text={filters[name] ?? ""}
                  example={example}
                  change={(text) => change({ [name]: text })}
                />
              )}
            </Labelled>
          ))}
          {/* Enter submits a form of several fields only with a button. */}
          <button type="submit" class="unseen" tabIndex={-1} aria-hidden="true">
            Search
          </button>
        </form>
      </details>
    </search>
  );
}

/** A touch leaves a field and clicks in one task: what was typed is in the address, and not yet drawn. */
function filtersNow(): JobFilters {
  return filtersIn(routeNow().query);
}

interface FilterProperties {
  readonly filters: JobFilters;
  readonly change: (changes: JobFilters, isSame?: boolean) => void;
}

function StateFilter({ filters, change }: FilterProperties) {
  const chosen = statesOf(filters);
  return (
    <div class="actions" role="group" aria-label="State">
      {JOB_STATES.map((state) => {
        const isChosen = chosen.includes(state);
        return (
          <button
            key={state}
            type="button"
            class={isChosen ? "small chosen" : "small"}
            aria-pressed={isChosen}
            onClick={() => {
              const others = statesOf(filtersNow()).filter((one) => one !== state);
              change({ state: (isChosen ? others : [...others, state]).join(",") });
            }}
          >
            {state.toLowerCase().replaceAll("_", " ")}
          </button>
        );
      })}
    </div>
  );
}

function EndpointFilter({ filters: { endpoint = "" }, change }: FilterProperties) {
  const names = useEndpointNames();
  const list = useId();
  return (
    <Labelled label="Endpoint">
      {(id) => (
        <>
          <Kept
            id={id}
            list={list}
            text={names.get(endpoint) ?? endpoint}
            change={(text) => change({ endpoint: text })}
          />
          <datalist id={list}>
            {[...names].map(([each, name]) => (
              <option key={each} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Labelled>
  );
}

interface TimeFilterProperties extends FilterProperties {
  readonly name: "from" | "to";
  readonly label: string;
}

function TimeFilter({ name, label, filters, change }: TimeFilterProperties) {
  const at = timeIn(filters[name] ?? "");
  return (
    <Labelled label={label}>
      {(id) => (
        <Kept
          id={id}
          type="datetime-local"
          text={at === undefined ? "" : localText(at)}
          change={(text) => {
            // While a year is typed, its first digits are a year as well.
            if (text !== "" && Date.parse(text) < 0) return;
            // Each part of a time that is typed is a change: "back" skips them.
            change({ [name]: text === "" ? "" : isoText(text) }, at !== undefined);
          }}
        />
      )}
    </Labelled>
  );
}

/** A time in the address: ISO 8601, or ms since 1970. */
function timeIn(text: string): number | undefined {
  const ms = /^[0-9]+$/.test(text) ? Number(text) : Date.parse(text);
  // Beyond the year 9999 a date field shows nothing.
  return ms >= 0 && ms < 253_402_300_800_000 ? ms : undefined;
}

interface LabelledProperties {
  readonly label: string;
  readonly isWide?: boolean | undefined;
  readonly children: (id: string) => ComponentChildren;
}

function Labelled({ label, isWide = false, children }: LabelledProperties) {
  const id = useId();
  return (
    <div class={isWide ? "field wide" : "field"}>
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
}

interface KeptProperties {
  readonly id: string;
  readonly text: string;
  readonly type?: "text" | "datetime-local";
  readonly example?: string | undefined;
  readonly list?: string;
  /** Called when a change is complete: with Enter, or when the field is left. */
  readonly change: (text: string) => void;
}

/**
 * A field that keeps what is typed while the list around it is drawn again. Once it is left, it shows the
 * filter that holds.
 */
function Kept({ id, text, type = "text", example, list, change }: KeptProperties) {
  const input = useRef<HTMLInputElement>(null);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const field = input.current;
    if (field === null || (shown.current === text && document.activeElement === field)) return;
    shown.current = text;
    if (field.value !== text) field.value = text;
  });
  return (
    <input
      id={id}
      ref={input}
      type={type}
      list={list}
      placeholder={example}
      spellcheck={false}
      autocomplete="off"
      onChange={(event) => change(event.currentTarget.value.trim())}
    />
  );
}
