import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, ApiError } from "../api.ts";

/** The last value that was read, and why it could not be read again. */
export interface Polled<Value> {
  readonly value: Value | undefined;
  readonly error: ApiError | undefined;
  /** Reads now. */
  readonly reload: () => void;
}

/**
 * Reads at once and then every `ms` milliseconds while the page is visible; 0 reads once. `key` names what is
 * read: another key starts over without the old value.
 */
export function usePolled<Value>(
  key: string,
  ms: number,
  read: (signal: AbortSignal) => Promise<Value>,
): Polled<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error?: ApiError }>({ key });
  const [round, setRound] = useState(0);
  const [fault, setFault] = useState<{ error: unknown }>();
  // Errors that are not answers of the server belong to the guard of the panel.
  if (fault !== undefined) throw fault.error;
  const newest = useRef(read);
  newest.current = read;

  useEffect(() => {
    const gone = new AbortController();
    let timer = 0;
    let isFirst = true;
    async function look(): Promise<void> {
      if (isFirst || document.visibilityState === "visible") await readOnce(gone.signal);
      isFirst = false;
      if (ms > 0 && !gone.signal.aborted) timer = window.setTimeout(() => void look(), ms);
    }
    async function readOnce(signal: AbortSignal): Promise<void> {
      try {
        const value = await newest.current(signal);
        if (!signal.aborted) setState({ key, value });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError)
          setState((before) => (before.key === key ? { ...before, error } : { key, error }));
        else setFault({ error });
      }
    }
    void look();
    return () => {
      gone.abort();
      window.clearTimeout(timer);
    };
  }, [key, ms, round]);

  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isOfKey = state.key === key;
  return { value: isOfKey ? state.value : undefined, error: isOfKey ? state.error : undefined, reload };
}

/** How often names are read, ms. */
const NAMES_EVERY = 30_000;

/** The names of the endpoints that the key opens, by their ids. Reads nothing until it is `wanted`. */
export function useEndpointNames(wanted = true): ReadonlyMap<string, string> {
  const { value } = usePolled(`names ${wanted}`, wanted ? NAMES_EVERY : 0, async (signal) =>
    wanted ? (await api.allStatistics("15m", signal)).endpoints : [],
  );
  return useMemo(() => new Map(value?.map(({ endpointId, name }) => [endpointId, name])), [value]);
}
