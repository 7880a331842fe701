import { useId } from "preact/hooks";
import type { FormFault } from "../../parts/field.tsx";
import type { Pairs } from "../../parts/pairs.tsx";

/** The default limits (docs/api.md, section 8): requests within 10 s, and in flight at once. */
const BASES: Readonly<Record<string, { readonly requests: number; readonly concurrent?: number }>> = {
  runsync: { requests: 2_000, concurrent: 400 },
  run: { requests: 1_000, concurrent: 200 },
  status: { requests: 2_000, concurrent: 400 },
  "status-sync": { requests: 2_000, concurrent: 400 },
  stream: { requests: 2_000, concurrent: 400 },
  cancel: { requests: 100, concurrent: 20 },
  retry: { requests: 1_000, concurrent: 200 },
  "purge-queue": { requests: 2 },
  health: { requests: 2_000, concurrent: 400 },
  openai: { requests: 2_000, concurrent: 400 },
  requests: { requests: 10, concurrent: 2 },
};

const FIGURES = [
  { figure: "requests", name: "Within 10 s" },
  { figure: "concurrent", name: "At once" },
] as const;

interface RateLimitsFieldProperties {
  readonly label: string;
  readonly hint: string;
  readonly fault: FormFault | undefined;
  /** Pairs of a name like `run.requests` and a number. */
  readonly pairs: Pairs;
  readonly change: (pairs: Pairs) => void;
}

/** The limits of each operation, with the server's error beside the one that it is about. */
export function RateLimitsField({ label, hint, fault, pairs, change }: RateLimitsFieldProperties) {
  const id = useId();
  const typed = new Map(pairs);
  const put = (path: string, text: string): void => change([...new Map(typed).set(path, text)]);
  return (
    <fieldset class="wide field" aria-describedby={id}>
      <legend class="label">{label}</legend>
      <table class="limits">
        <thead>
          <tr>
            <th scope="col">Operation</th>
            {FIGURES.map(({ figure, name }) => (
              <th key={figure} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(BASES).map(([operation, bases]) => (
            <tr key={operation}>
              <th scope="row" class="mono">
                {operation}
              </th>
              {FIGURES.map(({ figure, name }) => {
                const base = bases[figure];
                const path = `${operation}.${figure}`;
                const wrong = fault?.path === path ? fault.sentence : undefined;
                if (base === undefined) return <td key={figure} class="soft" />;
                return (
                  <td key={figure}>
                    <input
                      inputMode="numeric"
                      aria-label={`${operation}: ${name.toLowerCase()}`}
                      aria-invalid={wrong !== undefined}
                      aria-describedby={wrong === undefined ? undefined : `${id}-wrong`}
                      placeholder={String(base)}
                      value={typed.get(path) ?? ""}
                      onInput={(event) => put(path, event.currentTarget.value)}
                    />
                    {wrong === undefined ? null : (
                      <span id={`${id}-wrong`} class="wrong" role="alert">
                        {wrong}
                      </span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <small id={id} class="soft">
        {hint}
      </small>
    </fieldset>
  );
}
