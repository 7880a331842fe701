import { join } from "node:path";
import type { Contestant } from "../contestant.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { goBuild } from "./go.ts";
import { libraryPeer, postgresStore } from "./library-peer.ts";
import { checkOut, PGMQ } from "./peer-source.ts";

const peer = (script: string): string => join(import.meta.dir, "../peers", script);
const PGMQ_FILE = "pgmq-extension/sql/pgmq.sql";
const onPostgres = { startStore: postgresStore, storesResults: true };

/** The queues on PostgreSQL. Their names begin with "peer: ". `pgmq` is where git fetches it from. */
export function postgresPeers(pgmq: string | undefined): readonly Contestant[] {
  return [
    ...["100", "500"].map((batch) =>
      libraryPeer({
        ...onPostgres,
        name: `peer: pg-boss, 2 × ${batch}`,
        settingOf: "pg-boss",
        share: 0.5,
        front: ["node", peer("pg-boss-front.mjs"), "PORT", "STORE"],
        worker: ["node", peer("pg-boss-worker.mjs"), "STORE", batch, "2"],
      }),
    ),
    libraryPeer({
      ...onPostgres,
      name: "peer: graphile-worker",
      share: 0.5,
      front: ["node", peer("graphile-front.mjs"), "PORT", "STORE"],
      worker: ["node", peer("graphile-worker.mjs"), "STORE", "64", "500"],
    }),
    libraryPeer({
      ...onPostgres,
      name: "peer: BullMQ on PostgreSQL",
      share: 0.25,
      front: ["node", peer("bullmq-front.mjs"), "PORT", "STORE", "keep"],
      worker: ["node", peer("bullmq-worker.mjs"), "STORE", "32"],
    }),
    pgmqFrom(pgmq),
    ...river(),
  ];
}

function pgmqFrom(source: string | undefined): Contestant {
  const directory = temporaryDirectory("pgmq-bench-");
  let fetched: { readonly reason: string | undefined } | undefined;
  return libraryPeer({
    ...onPostgres,
    name: "peer: pgmq",
    missing: () => (fetched ??= { reason: checkOut(PGMQ, directory, source) }).reason,
    front: ["node", peer("pgmq-front.mjs"), "PORT", "STORE", join(directory, PGMQ_FILE)],
    worker: ["node", peer("pgmq-worker.mjs"), "STORE", "100", "2"],
  });
}

/** River is written in Go; it takes part where a Go compiler builds it. */
function river(): Contestant[] {
  const program = join(temporaryDirectory("river-bench-"), "river");
  let built: { readonly reason: string | undefined } | undefined;
  const missing = (): string | undefined =>
    (built ??= { reason: goBuild(peer("river"), program, ".") }).reason;
  return ["200", "500"].map((concurrency) =>
    libraryPeer({
      ...onPostgres,
      name: `peer: River, concurrency ${concurrency}`,
      settingOf: "River",
      missing,
      front: [program, "front", "PORT", "STORE"],
      worker: [program, "worker", "STORE", concurrency],
    }),
  );
}
