import { useEffect, useState } from "preact/hooks";
import { api, ApiError } from "../../api.ts";
import type { JobAction, ManyJobs } from "../../answers.ts";
import { usePolled } from "../../parts/use-polled.ts";
import { lookForOperations } from "./running-operations.tsx";

/** How often an operation is looked for whose answer was lost, ms. */
const EVERY = 2_000;

/** An action on many jobs that a reader begins. */
export interface Beginning {
  readonly begin: () => Promise<void>;
  /** The id of the operation. */
  readonly begun: string | undefined;
  readonly isBusy: boolean;
  /** Whether the server did not answer, so that the action may have begun. */
  readonly isLost: boolean;
  readonly error: ApiError | undefined;
}

/** Begins an action at most once. If its answer is lost, finds the operation in the list of operations. */
export function useBegin(action: JobAction, asked: ManyJobs): Beginning {
  const [begun, setBegun] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  /** Once the answer is lost: the operations that were there before. */
  const [earlier, setEarlier] = useState<ReadonlySet<string>>();
  const isLost = earlier !== undefined && begun === undefined;

  const found = usePolled(`lost ${isLost}`, isLost ? EVERY : 0, async (signal) => {
    if (earlier === undefined) return undefined;
    const all = await api.jobOperations(signal);
    return all.find((operation) => operation.action === action && !earlier.has(operation.id))?.id;
  });
  useEffect(() => setBegun((before) => before ?? found.value), [found.value]);
  useEffect(() => lookForOperations(), [begun, isLost]);

  async function send(): Promise<void> {
    const known = await api.jobOperations();
    try {
      setBegun((await api.actOnJobs(action, asked)).id);
    } catch (caught) {
      if (!mayHaveBegun(caught)) throw caught;
      setEarlier(new Set(known.map(({ id }) => id)));
    }
  }

  async function begin(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await send();
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
    } finally {
      setBusy(false);
    }
  }

  return { begin, begun, isBusy, isLost, error };
}

/** Without an answer of Forebay, also where a proxy answers in its place. */
function mayHaveBegun(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "NO_ANSWER" || error.code === "NO_SENTENCE");
}
