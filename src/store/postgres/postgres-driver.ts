import { SQL } from "bun";
import { isOfServer, PostgresUnavailable } from "./postgres-failure.ts";
import type { PostgresPrimary } from "./postgres-primary.ts";

/** What a statement takes as `$1`, `$2` and so on. */
export type Parameter = string | number | boolean | null | Uint8Array;

/** What runs statements. Statements that are not awaited one by one travel together. */
export interface Connection {
  query<Row>(text: string, parameters?: readonly Parameter[]): Promise<Row[]>;
}

/** A number of connections. They are opened when they are needed, also after they were lost. */
export interface Pool extends Connection {
  close(): Promise<void>;
}

/**
 * One connection for transactions. Once it is lost every statement fails, so that none of a transaction can
 * come after its end; `renew` gives it up, and the next statement opens another one.
 */
export interface SingleConnection extends Connection {
  /** Several statements at once, without parameters. */
  script(text: string): Promise<void>;
  renew(): Promise<void>;
  close(): Promise<void>;
}

export interface PostgresAccess {
  /** Which of its servers is asked. */
  readonly primary: PostgresPrimary;
  /** Settings of each connection; none behind a pooler, which would refuse them. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether statements are prepared, and so travel together: not through a pooler of transactions. */
  readonly isPrepared: boolean;
}

/** A statement without an answer for so long, ms, has lost its server: the server gives up earlier. */
const ANSWER_LIMIT = 15_000;

/**
 * The same for a read. Reads wait for each other on their connections, and each waits for a locked table. The
 * limit counts from the call, so that the caller gets its error in time.
 */
export const READ_ANSWER_LIMIT = 10_000;

/** What is under way when a pool is closed may be answered for so long, ms. */
const CLOSE_PATIENCE = 1_000;

/** Seconds. */
const CONNECT_LIMIT = 5;

export function openPool(access: PostgresAccess, max: number, answerLimit = ANSWER_LIMIT): Pool {
  let current: Opened | undefined;

  /** That of the server that is the primary now. */
  async function open(): Promise<Opened> {
    const url = await access.primary.url();
    if (current !== undefined && current.url !== url) giveUp(current, ANSWER_LIMIT);
    current ??= { url, sql: connect(access, url, max) };
    return current;
  }

  /** Whoever asks next gets another one; what is under way may be answered for `patience` ms. */
  function giveUp(asked: Opened, patience: number): void {
    if (current !== asked) return;
    current = undefined;
    void discard(access, asked, patience);
  }

  return {
    async query<Row>(text: string, parameters: readonly Parameter[] = []) {
      const asked = await open();
      try {
        const answer = run(asked.sql, text, parameters);
        return await answeredInTime<Row>(answer, () => giveUp(asked, 0), answerLimit);
      } catch (error) {
        if (isOfServer(error)) giveUp(asked, ANSWER_LIMIT);
        throw error;
      }
    },

    async close() {
      if (current !== undefined) await discard(access, current, CLOSE_PATIENCE);
    },
  };
}

export function openConnection(access: PostgresAccess, answerLimit = ANSWER_LIMIT): SingleConnection {
  let current: Promise<OpenedConnection> | undefined;
  /** The process of the database that the last connection led to. */
  let left: Backend | undefined;

  async function open(): Promise<OpenedConnection> {
    const url = await access.primary.url();
    const pool = connect(access, url, 1);
    try {
      const connection = await pool.reserve();
      if (access.isPrepared) left = await nextBackend(connection, left);
      return { url, sql: pool, connection };
    } catch (error) {
      void discard(access, { url, sql: pool }, 0);
      throw error;
    }
  }

  async function renew(): Promise<void> {
    const lost = await given();
    if (lost !== undefined) void discard(access, lost, 0);
  }

  /** What was opened, which nobody uses any more. */
  async function given(): Promise<Opened | undefined> {
    const last = current;
    current = undefined;
    // The caller got the error of a connection that could not be opened.
    return last?.catch(() => undefined);
  }

  async function onConnection(ask: (connection: SQL) => Promise<unknown[]>): Promise<unknown[]> {
    current ??= open();
    const { connection } = await current;
    return ask(connection);
  }

  return {
    query<Row>(text: string, parameters: readonly Parameter[] = []) {
      const answer = onConnection((connection) => run(connection, text, parameters));
      return answeredInTime<Row>(answer, () => void renew(), answerLimit);
    },
    async script(text) {
      const answer = onConnection(async (connection) => connection.unsafe(text));
      await answeredInTime(answer, () => void renew(), answerLimit);
    },
    renew,
    async close() {
      const last = await given();
      if (last !== undefined) await discard(access, last, 0);
    },
  };
}

/**
 * Listens on a channel with a connection of its own, until the answer is called. If the connection is lost,
 * `onLost` is called once, and nothing is heard any more.
 */
export async function listen(
  access: PostgresAccess,
  channel: string,
  onMessage: (text: string) => void,
  onLost: () => void,
): Promise<() => Promise<void>> {
  const url = await access.primary.url();
  let isOver = false;
  // The driver would listen again at the same server, even if that is no longer the primary.
  const onclose = (): void => {
    if (isOver) return;
    void end();
    onLost();
  };
  const pool = connect(access, url, 1, onclose);
  const end = (): Promise<void> => {
    isOver = true;
    return discard(access, { url, sql: pool }, 0);
  };
  try {
    await pool.listen(channel, onMessage);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

/** Whether the server there takes writes. */
export async function takesWrites(url: string): Promise<boolean> {
  const pool = new SQL(url, { max: 1, connectionTimeout: CONNECT_LIMIT });
  try {
    const answer = pool.unsafe("SELECT pg_is_in_recovery() AS standby").simple();
    const [row] = await answeredInTime<{ standby: boolean }>(answer);
    return row?.standby === false;
  } finally {
    void pool.close({ timeout: 0 });
  }
}

/** Resolves when all have; throws the first fault, but not before the last has ended. */
export async function allOf(promises: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(promises);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** Milliseconds from some moment on, which is always the same. */
export function monotonicTime(): number {
  return performance.now();
}

/** Calls `action` once, `ms` milliseconds from now. The answer cancels that. */
export function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}

interface Opened {
  readonly url: string;
  readonly sql: SQL;
}

interface OpenedConnection extends Opened {
  readonly connection: SQL;
}

/** A process of the database; ids of ended ones are used again. */
interface Backend {
  readonly pid: number;
  readonly since: string;
}

const SELECT_BACKEND = `
  SELECT pid, backend_start::text AS since,
         EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2
                 AND wait_event = 'SyncRep') AS "isWaiting"
  FROM pg_stat_activity WHERE pid = pg_backend_pid()`;

/** How long we wait until such a commit has ended, and how often we look, ms. */
const STANDBY_PATIENCE = 1_000;
const STANDBY_LOOK = 100;

/**
 * The process of the database behind a new connection. The process before may still wait for a standby to
 * confirm its commit, and ending it would show what a fail-over can undo. So there is no new connection until
 * it has ended: otherwise each one that was given up would leave a process, until no connection is left.
 */
async function nextBackend(connection: SQL, last: Backend = { pid: 0, since: "" }): Promise<Backend> {
  for (let waited = 0; waited < STANDBY_PATIENCE; waited += STANDBY_LOOK) {
    const answer = run(connection, SELECT_BACKEND, [last.pid, last.since]);
    const [row] = await answeredInTime<Backend & { readonly isWaiting: boolean }>(answer);
    if (row?.isWaiting === false) return { pid: row.pid, since: row.since };
    await new Promise<void>((resolve) => void after(STANDBY_LOOK, resolve));
  }
  throw new PostgresUnavailable("a commit waits for a standby, and none is connected");
}

/** Closes it, after `patience` ms at most for what is under way; its server may be the primary no longer. */
async function discard(access: PostgresAccess, { url, sql: pool }: Opened, patience: number): Promise<void> {
  access.primary.doubt(url);
  await pool.close({ timeout: patience / 1_000 });
}

function connect(
  { settings, isPrepared }: PostgresAccess,
  url: string,
  max: number,
  onclose: () => void = () => undefined,
): SQL {
  return new SQL(url, {
    onclose,
    max,
    prepare: isPrepared,
    connection: { ...settings },
    connectionTimeout: CONNECT_LIMIT,
  });
}

async function run(connection: SQL, text: string, parameters: readonly Parameter[]): Promise<unknown[]> {
  return connection.unsafe(text, [...parameters]);
}

/** The driver itself waits for ever on a server that does not answer. */
async function answeredInTime<Row>(
  answer: Promise<unknown[]>,
  giveUp: () => void = () => undefined,
  limit = ANSWER_LIMIT,
): Promise<Row[]> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const cancel = after(limit, () => {
    reject(new PostgresUnavailable(`no answer within ${limit} ms`));
    giveUp();
  });
  try {
    // What a statement answers is what its SQL says; only its caller can claim it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (await Promise.race([answer, silence])) as Row[];
  } finally {
    cancel();
  }
}
