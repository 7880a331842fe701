import { useId } from "preact/hooks";

/** Names and values, in the order in which they were written. */
export type Pairs = readonly (readonly [name: string, value: string])[];

interface PairsFieldProperties {
  readonly label: string;
  readonly hint: string;
  readonly wrong: string | undefined;
  /** The example in empty fields. */
  readonly example?: readonly [name: string, value: string];
  readonly pairs: Pairs;
  readonly change: (pairs: Pairs) => void;
}

/** Variables or headers: rows of a name and a value. */
export function PairsField({
  label,
  hint,
  wrong,
  example = ["NAME", "value"],
  pairs,
  change,
}: PairsFieldProperties) {
  const id = useId();
  const put = (index: number, pair: readonly [string, string]): void =>
    change(pairs.map((before, at) => (at === index ? pair : before)));
  return (
    <fieldset class="field wide" aria-describedby={id}>
      <legend class="label">{label}</legend>
      <div class="stack close">
        {pairs.map(([name, value], index) => (
          <div class="pair-row" key={index}>
            <input
              class="mono"
              value={name}
              aria-label={`Name ${index + 1} of ${label}`}
              placeholder={example[0]}
              onInput={(event) => put(index, [event.currentTarget.value, value])}
            />
            <input
              class="mono"
              value={value}
              aria-label={`Value ${index + 1} of ${label}`}
              placeholder={example[1]}
              onInput={(event) => put(index, [name, event.currentTarget.value])}
            />
            <button type="button" onClick={() => change(pairs.filter((_, at) => at !== index))}>
              Remove<span class="unseen"> {name}</span>
            </button>
          </div>
        ))}
        <div>
          <button type="button" class="small" onClick={() => change([...pairs, ["", ""]])}>
            Add
          </button>
        </div>
      </div>
      <div id={id}>
        {wrong === undefined ? null : (
          <span class="wrong" role="alert">
            {wrong}
          </span>
        )}
        <small class="soft">{hint}</small>
      </div>
    </fieldset>
  );
}

/** The record for the API. Rows without a name are left out. */
export function recordOf(pairs: Pairs): Record<string, string> {
  return Object.fromEntries(pairs.filter(([name]) => name !== ""));
}
