import { useMemo } from "preact/hooks";
import { api } from "../api.ts";
import { usePolled } from "./use-polled.ts";

/** ms. */
const EVERY = 30_000;

/** The names of the endpoints that the key opens, by their ids. Reads nothing until it is `wanted`. */
export function useEndpointNames(wanted = true): ReadonlyMap<string, string> {
  const { value } = usePolled(`names ${wanted}`, wanted ? EVERY : 0, async (signal) =>
    wanted ? (await api.allStatistics("15m", signal)).endpoints : [],
  );
  return useMemo(() => new Map(value?.map(({ endpointId, name }) => [endpointId, name])), [value]);
}
