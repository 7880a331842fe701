interface StateChoiceProperties<State extends string> {
  readonly states: readonly State[];
  readonly state: State | "";
  readonly choose: (state: State | "") => void;
}

/** Picks what is in one state out of a list; empty: all. */
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
