import { SQL, sql } from "bun";
import { PostgresUnavailable } from "./postgres-failure.ts";

/** What a statement takes as `$1`, `$2` and so on; arrays come from `array`. */
export type Parameter = string | number | boolean | null | Uint8Array | ArrayParameter;

/** Made by `array` alone. */
export interface ArrayParameter {
  readonly arrayType: string | undefined;
}

export type ElementType = "text" | "bigint" | "integer" | "boolean" | "bytea" | "uuid";

/** What runs statements. Statements that are not awaited one by one travel together. */
export interface Connection {
  query<Row>(text: string, parameters?: readonly Parameter[]): Promise<Row[]>;
}

/** A number of connections, opened when first needed, and anew after they were lost. */
export interface Pool extends Connection {
  close(): Promise<void>;
}

/**
 * One connection for transactions. Once it is lost every statement fails, so that none of a transaction can
 * come after its end; `renew` gives it up, and the next statement opens another one.
 */
export interface Lane extends Connection {
  /** Several statements at once, without parameters. */
  script(text: string): Promise<void>;
  renew(): Promise<void>;
  close(): Promise<void>;
}

export interface PostgresAccess {
  readonly url: string;
  /** Settings of each connection; none where a pooler stands between, which would refuse them. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether statements are prepared, and so travel together: not through a pooler of transactions. */
  readonly isPrepared: boolean;
}

/** A statement that is not answered for so long has lost its server; the server itself gives up earlier. */
const ANSWER_LIMIT = 15_000;

/** Seconds. */
const CONNECT_LIMIT = 5;

export function openPool(access: PostgresAccess, max: number): Pool {
  let pool = connect(access, max);
  return {
    query<Row>(text: string, parameters: readonly Parameter[] = []) {
      const asked = pool;
      return answeredInTime<Row>(run(asked, text, parameters), () => {
        if (pool === asked) pool = connect(access, max);
        void asked.close({ timeout: 0 });
      });
    },
    close: () => pool.close({ timeout: 0 }),
  };
}

export function openLane(access: PostgresAccess, answerLimit = ANSWER_LIMIT): Lane {
  let pool: SQL | undefined;
  let reserved: Promise<SQL> | undefined;

  async function renew(): Promise<void> {
    const lost = pool;
    pool = undefined;
    reserved = undefined;
    await lost?.close({ timeout: 0 });
  }

  function reserve(): Promise<SQL> {
    pool ??= connect(access, 1);
    reserved ??= pool.reserve();
    return reserved;
  }

  return {
    query<Row>(text: string, parameters: readonly Parameter[] = []) {
      const answer = reserve().then((connection) => run(connection, text, parameters));
      return answeredInTime<Row>(answer, () => void renew(), answerLimit);
    },
    async script(text) {
      const answer = reserve().then(async (connection) => connection.unsafe(text));
      await answeredInTime(answer, () => void renew(), answerLimit);
    },
    renew,
    close: renew,
  };
}

/**
 * Listens on a channel with a connection of its own, which opens itself again when it is lost; `onListen` is
 * called each time it listens: what was sent before is lost. The answer ends it.
 */
export async function listen(
  access: PostgresAccess,
  channel: string,
  onMessage: (text: string) => void,
  onListen: () => void,
): Promise<() => Promise<void>> {
  const pool = connect(access, 1);
  await pool.listen(channel, onMessage, onListen);
  return () => pool.close({ timeout: 0 });
}

/** An array as one parameter; null is an element like any other. */
export function array(
  values: readonly (string | number | boolean | Uint8Array | null)[],
  type: ElementType,
): ArrayParameter {
  return sql.array([...values], type);
}

/** Calls `action` once, `ms` milliseconds from now. The answer takes the call back. */
export function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}

function connect({ url, settings, isPrepared }: PostgresAccess, max: number): SQL {
  return new SQL(url, {
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
  giveUp: () => void,
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
