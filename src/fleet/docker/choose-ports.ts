import { portsOf } from "../starts-from.ts";
import type { DockerSettings } from "./container-body.ts";
import { EngineFault } from "./docker-engine.ts";

/**
 * Chooses a free host port for each port of the template, at random from the allowed range. The engine
 * reports taken ports only when the container starts. Throws EngineFault if there are too few.
 */
export function choosePorts(
  ports: readonly string[],
  { first, last }: DockerSettings["publishPorts"],
  taken: ReadonlySet<number>,
  randomBelow: (limit: number) => number,
): Map<number, number> {
  const inside = portsOf(ports);
  if (inside.length === 0) return new Map();
  const range = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const free = range.filter((port) => !taken.has(port));
  if (inside.length > free.length) {
    throw new EngineFault(`fewer than ${inside.length} of the ports ${first} to ${last} are free`, 409);
  }
  const start = randomBelow(free.length);
  const chosen = [...free.slice(start), ...free.slice(0, start)];
  return new Map(inside.map((port, index) => [port, chosen[index] ?? first]));
}

/** The port that the engine could not publish; undefined for any other fault. */
export function takenPort(error: unknown): number | undefined {
  if (!(error instanceof EngineFault)) return undefined;
  if (!/port is already allocated|address already in use/.test(error.message)) return undefined;
  const port = /:([0-9]{1,5})(?: failed|: bind)/.exec(error.message)?.[1];
  return port === undefined ? undefined : Number(port);
}
