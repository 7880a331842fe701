import type { HangUp, ServerWord, SharedData, SharedRate, StopOf } from "../store.ts";
import { givenRows } from "./postgres-arrays.ts";
import type { Parameter, Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";

/** The only statement that reads the time. Statements that decide by the time get it as a value. */
const SELECT_TIME = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now";

/**
 * Does not wait for a standby: if one is away, background jobs must not wait for this row. A hold that a
 * fail-over undoes would have ended within seconds anyway.
 */
const HOLD = `
  INSERT INTO forebay.duty (name, server, until)
  SELECT $1, $2, $4::bigint FROM set_config('synchronous_commit', 'off', true)
  ON CONFLICT (name) DO UPDATE SET server = excluded.server, until = excluded.until
  WHERE duty.server = excluded.server OR duty.until <= $3::bigint
  RETURNING name`;

/** Does not wait for a standby either: it is repeated each second, also while a standby is away. */
const ANNOUNCE = `
  INSERT INTO forebay.server (server, word, until, reads_digests)
  SELECT $1, $2, $3::bigint, true FROM set_config('synchronous_commit', 'off', true)
  ON CONFLICT (server) DO UPDATE
  SET word = excluded.word, until = excluded.until, reads_digests = true`;

const SELECT_ANNOUNCEMENTS = `
  SELECT server, word, until::float8 AS until, reads_digests AS "readsDigests" FROM forebay.server`;

const FORGET_SERVER = "DELETE FROM forebay.server WHERE server = $1 AND until < $2";

const SELECT_RATE = `
  SELECT version::float8 AS version, body, until::float8 AS until
  FROM forebay.rate WHERE subject = $1 AND operation = $2`;

const ADD_RATE = `
  INSERT INTO forebay.rate (subject, operation, version, body, until) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING RETURNING version`;

const CHANGE_RATE = `
  UPDATE forebay.rate SET version = $3, body = $4, until = $5
  WHERE subject = $1 AND operation = $2 AND version = $3 - 1 RETURNING version`;

const FORGET_RATES = "DELETE FROM forebay.rate WHERE until < $1";

/** Servers of the version before read the table `secret_key`, which has one key. */
const KEEP_KEY = `
  WITH gone AS (DELETE FROM forebay.sealing_key WHERE digest <> $1)
  UPDATE forebay.secret_key SET digest = $1`;

const WORKERS = givenRows({ endpoint: "text", worker: "text" });

const SELECT_STOPPING = `
  SELECT job.endpoint, job.holder AS worker, job.id
  FROM ${WORKERS.source} AS asked (${WORKERS.names})
  JOIN forebay.job ON job.endpoint = asked.endpoint COLLATE "C" AND job.holder = asked.worker COLLATE "C"
  WHERE job.ended_at IS NOT NULL`;

const SELECT_HANG_UPS = `
  SELECT endpoint, worker, last_contact::float8 AS at FROM forebay.contact WHERE hung_up`;

/**
 * Each statement commits by itself, so it holds no lock during a round trip to a server. `onAnnouncements`
 * learns whether all known servers can read payloads with a digest.
 */
export function postgresShared(pool: Pool, onAnnouncements: (allReadDigests: boolean) => void): SharedData {
  const rows = reader(pool);

  return {
    ...sharedRates(pool),

    async time() {
      const [row] = await rows<{ now: number }>(SELECT_TIME);
      if (row === undefined) throw new Error("the database did not tell the time");
      return Math.floor(row.now);
    },

    async hold(name, server, now, until) {
      const held = await rows(HOLD, [name, server, now, until]);
      return held.length > 0;
    },

    async announce(server, word, until) {
      await rows(ANNOUNCE, [server, word, until]);
    },

    async announcements() {
      const words = await rows<ServerWord & { readsDigests: boolean }>(SELECT_ANNOUNCEMENTS);
      onAnnouncements(words.every(({ readsDigests }) => readsDigests));
      return words.map(({ server, word, until }) => ({ server, word, until }));
    },

    async forgetServer(server, before) {
      await rows(FORGET_SERVER, [server, before]);
    },

    async keepKey(digest) {
      await rows(KEEP_KEY, [digest]);
    },

    async stopping(workers) {
      const stops = await rows<StopOf>(SELECT_STOPPING, WORKERS.arrays(workers));
      return stops.map(({ endpoint, worker, id }) => ({ endpoint, worker, id }));
    },

    async hangUps() {
      const found = await rows<HangUp>(SELECT_HANG_UPS);
      return found.map(({ endpoint, worker, at }) => ({ endpoint, worker, at }));
    },
  };
}

/** What the servers have let in together. */
function sharedRates(pool: Pool): Pick<SharedData, "rate" | "putRate" | "forgetRates"> {
  const rows = reader(pool);

  return {
    async rate(subject, operation) {
      const [row] = await rows<SharedRate>(SELECT_RATE, [subject, operation]);
      return row && { ...row };
    },

    async putRate(subject, operation, { version, body, until }) {
      const text = version === 1 ? ADD_RATE : CHANGE_RATE;
      const written = await rows(text, [subject, operation, version, body, until]);
      return written.length > 0;
    },

    async forgetRates(before) {
      await rows(FORGET_RATES, [before]);
    },
  };
}

function reader(pool: Pool) {
  return <Row>(text: string, parameters: readonly Parameter[] = []): Promise<Row[]> =>
    orUnavailable(pool.query<Row>(text, parameters));
}
