import { z } from "zod";
import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import type { RegistryLogin } from "../provider.ts";
import { readLines } from "../read-lines.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";
import { loginHeaders, taggedName } from "./registry.ts";

interface Pull {
  readonly engine: DockerEngine;
  readonly clock: Clock;
  readonly log: Log;
  readonly name: string;
  readonly login: RegistryLogin | undefined;
}

/** How often the progress of a pull is logged, and how long the engine may be silent, ms. */
const TELL_EVERY = 10_000;
const SILENCE = 300_000;

const MB = 1_048_576;

const PROGRESS = z.object({
  id: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional(), total: z.number().optional() }).optional(),
});

/** Pulls an image from its registry. Throws EngineFault with the engine's reason. */
export async function pullImage({ engine, clock, log, name, login }: Pull): Promise<void> {
  const startedAt = clock.now();
  log.info("an image is being pulled", { image: name });
  const answer = await engine.open({
    method: "POST",
    path: "/images/create",
    query: { fromImage: taggedName(name) },
    headers: loginHeaders(login),
    patience: SILENCE,
  });
  const layers = new Map<string, { current: number; total: number }>();
  let fault: string | undefined;
  let toldAt = startedAt;
  await new Promise<void>((resolve, reject) => {
    let cancel = (): void => undefined;
    const wait = (): void => {
      cancel();
      cancel = clock.after(SILENCE, () => answer.destroy(new Error("the pull stands still")));
    };
    wait();
    answer.on("data", wait);
    readLines(answer, (line) => {
      const { id = "", status, error, progressDetail: { current = 0, total = 0 } = {} } = parsed(line);
      fault ??= error;
      if (status === "Downloading") layers.set(id, { current, total });
      if (clock.now() - toldAt < TELL_EVERY) return;
      toldAt = clock.now();
      log.info("an image is being pulled", { image: name, ...sumOf(layers) });
    });
    answer.on("close", () => {
      cancel();
      if (answer.complete) resolve();
      else reject(new EngineFault("it ended the pull early"));
    });
    answer.on("error", () => undefined);
  });
  if (fault !== undefined) throw new EngineFault(fault, 404);
  log.info("an image was pulled", { image: name, seconds: Math.round((clock.now() - startedAt) / 1_000) });
}

/** A line that is not JSON is ignored. */
function parsed(line: string): z.output<typeof PROGRESS> {
  try {
    return PROGRESS.safeParse(JSON.parse(line)).data ?? {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}

function sumOf(layers: ReadonlyMap<string, { current: number; total: number }>) {
  const sums = { current: 0, total: 0 };
  for (const { current, total } of layers.values()) {
    sums.current += current;
    sums.total += total;
  }
  return { doneMb: Math.round(sums.current / MB), ofMb: Math.round(sums.total / MB) };
}
