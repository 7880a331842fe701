import type { Socket } from "node:net";
import {
  asksForTls,
  clientMessages,
  type PostgresMessage,
  serverMessages,
  statements,
} from "../../support/postgres-messages.ts";
import { openPostgresProxy } from "../../support/postgres-proxy.ts";

/** Stands between one server and PostgreSQL, and can stop a transaction in front of a statement. */
export interface HeldWire extends AsyncDisposable {
  /** The address of the database through the wire. */
  readonly url: string;
  /** Stops the first connection that is about to run such a statement. At most one hold at a time. */
  holdBefore(isHeld: (statement: string) => boolean): Hold;
}

export interface Hold {
  /**
   * Resolves when a connection stands there and PostgreSQL has done everything before: with the id of the
   * process of PostgreSQL that serves it.
   */
  readonly reached: Promise<number>;
  /** Lets the connection go on; where none stands yet, none will be stopped. */
  release(): void;
}

interface Armed {
  readonly isHeld: (statement: string) => boolean;
  readonly onReached: (process: number) => void;
  /** Sends what is held back. */
  onRelease: (() => void) | undefined;
}

export async function holdPostgres(databaseUrl: string): Promise<HeldWire> {
  let armed: Armed | undefined;

  const proxy = await openPostgresProxy(databaseUrl, (client, database) => {
    joinBoth(client, database, (statement) => {
      if (armed?.onRelease !== undefined || armed?.isHeld(statement) !== true) return undefined;
      return armed;
    });
  });

  return {
    url: proxy.url,
    holdBefore(isHeld) {
      if (armed !== undefined) throw new Error("a transaction of this server is held already");
      const { promise: reached, resolve: onReached } = Promise.withResolvers<number>();
      const own: Armed = { isHeld, onReached, onRelease: undefined };
      armed = own;
      const release = (): void => {
        if (armed !== own) return;
        armed = undefined;
        own.onRelease?.();
      };
      return { reached, release };
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** Passes messages on. From a statement that `holdAt` answers for, the client's wait for the release. */
function joinBoth(client: Socket, database: Socket, holdAt: (statement: string) => Armed | undefined): void {
  const { begunBy, runBy } = statements();
  /** Answers that PostgreSQL owes: one for the start of the session, then one for each message that asks. */
  let owed = 1;
  let process = 0;
  /** Bytes of the server that are no message. */
  let bare = 0;
  let holder: Armed | undefined;
  const waiting: PostgresMessage[] = [];

  function noteReached(): void {
    if (owed === 0) holder?.onReached(process);
  }

  function send(message: PostgresMessage): void {
    if (asksForTls(message)) bare++;
    if (message.type === "S" || message.type === "Q") owed++;
    database.write(message.bytes);
  }

  function hold(by: Armed): void {
    holder = by;
    by.onRelease = () => {
      holder = undefined;
      for (const message of waiting.splice(0)) send(message);
    };
    noteReached();
  }

  const onClient = clientMessages((message) => {
    const begun = begunBy(message);
    runBy(message);
    const by = holder === undefined && begun !== undefined ? holdAt(begun) : undefined;
    if (by !== undefined) hold(by);
    if (holder === undefined) send(message);
    else waiting.push(message);
  });
  const onServer = serverMessages(({ type, body }) => {
    if (type === "K") process = body.readUInt32BE(0);
    if (type !== "Z") return;
    owed--;
    noteReached();
  });

  client.on("data", onClient);
  database.on("data", (piece: Buffer) => {
    client.write(piece);
    const from = Math.min(bare, piece.length);
    bare -= from;
    onServer(piece.subarray(from));
  });
  client.on("end", () => database.end());
  database.on("end", () => client.end());
}
