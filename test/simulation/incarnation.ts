import { type Config, keptAmounts, loadConfig } from "../../src/config/config.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Log } from "../../src/domain/log.ts";
import { newMeters } from "../../src/domain/meters.ts";
import { type BackgroundJobs, startBackgroundJobs } from "../../src/background/start-background-jobs.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { ensureReleases } from "../../src/engine/records/releases.ts";
import { deleteOrphanTokens } from "../../src/engine/records/worker-tokens.ts";
import { secretBox } from "../../src/engine/secret-box.ts";
import { httpContext } from "../../src/http/context.ts";
import { recordBytes } from "../../src/http/present/record.ts";
import { policyIn } from "../../src/http/queue/submission-members.ts";
import { type Router, router } from "../../src/http/router.ts";
import { routes } from "../../src/http/operations.ts";
import type { Outbound } from "../../src/outbound/outbound.ts";
import type { Store } from "../../src/store/store.ts";
import { NO_WORKER_LOGS } from "../support/memory-output.ts";
import { NO_HOSTS } from "../support/no-hosts.ts";
import { NO_DISK, NO_VITALS } from "../support/no-vitals.ts";
import { TEST_KEY } from "../support/test-client.ts";
import type { Random } from "./random.ts";

export interface IncarnationParts {
  readonly server: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly steer: (now: number) => void;
  readonly log: Log;
  readonly outbound: Outbound;
  readonly random: Random;
}

/** What one start of a server makes; a crash makes all of it anew. */
export interface Incarnation extends BackgroundJobs {
  readonly engine: Engine;
  readonly router: Router;
}

/** Deadlines are looked at as often as elsewhere divided by four: most steps are to be those of actors. */
const SWEEP_INTERVAL = 1_000;

export const CONFIG: Config = {
  ...loadConfig({ "admin-key": TEST_KEY }, {}),
  sweepInterval: SWEEP_INTERVAL,
};

/** How many bytes the chunks of one attempt may have together. */
const CHUNK_LIMIT = 4_096;

/** Builds a server as `src/main.ts` does, in its order, without sockets, processes and files. */
export async function startIncarnation(parts: IncarnationParts): Promise<Incarnation> {
  const { server, store, clock, log, outbound, random } = parts;
  const engine = await createEngine({
    server,
    store,
    clock,
    log,
    meters: newMeters(NO_VITALS, NO_DISK),
    durations: CONFIG,
    workerLogs: NO_WORKER_LOGS,
    ...keptAmounts(CONFIG),
    chunkLimit: CHUNK_LIMIT,
    secrets: secretBox(["simulation"]),
    keepKeys: undefined,
    randomFill(bytes) {
      for (let index = 0; index < bytes.length; index++) bytes[index] = random.below(256);
    },
    webhookRefusal: outbound.refusal,
    starts: { refusal: () => undefined, runs: () => false, ...NO_HOSTS },
  });
  await deleteOrphanTokens(engine);
  await ensureReleases(engine);
  const context = httpContext(engine, CONFIG, () => "http://forebay");
  engine.peers?.onMore(() => context.rateLimiter.tellExcess());
  const routing = router(routes(context));
  await engine.peers?.join();
  const jobs = startBackgroundJobs(engine, {
    outbound,
    recordOf: (job) => recordBytes(engine, job),
    policyIn,
    steer: parts.steer,
    tellLimits: () => context.rateLimiter.tellChanges(),
    ofLeader: [],
    ofEach: () => [],
    onNotLeader: () => undefined,
  });
  return { engine, router: routing, ...jobs };
}
