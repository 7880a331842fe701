/** The code of a first message that asks for TLS; the start of the session follows it. */
const ASKS_FOR_TLS = 80_877_103;

/** A whole message of PostgreSQL's protocol. */
export interface PostgresMessage {
  /** Empty for the first messages of a client, which have no type. */
  readonly type: string;
  readonly body: Buffer;
  /** The message with its type and length, as it was sent. */
  readonly bytes: Buffer;
}

/** Splits what a client sends into messages. `onMessage` gets each one when it is whole. */
export function clientMessages(onMessage: (message: PostgresMessage) => void): (piece: Buffer) => void {
  let hasStarted = false;
  return messages(
    () => hasStarted,
    (message) => {
      if (!hasStarted) hasStarted = message.body.readUInt32BE(0) !== ASKS_FOR_TLS;
      onMessage(message);
    },
  );
}

/** Splits what a server without TLS sends into messages. */
export function serverMessages(onMessage: (message: PostgresMessage) => void): (piece: Buffer) => void {
  return messages(() => true, onMessage);
}

/** Whether the client asks for TLS: a server without it answers with one byte, which is no message. */
export function asksForTls({ type, body }: PostgresMessage): boolean {
  return type === "" && body.readUInt32BE(0) === ASKS_FOR_TLS;
}

/** The texts of the statements that a client prepares and runs. */
export interface Statements {
  /** The statement that this message begins to run: undefined for any other message. */
  begunBy(message: PostgresMessage): string | undefined;
  /** The statement that this message runs. */
  runBy(message: PostgresMessage): string | undefined;
}

export function statements(): Statements {
  const prepared = new Map<string, string>();
  const portals = new Map<string, string>();
  return {
    begunBy({ type, body }) {
      const [first = "", second = ""] = wordsOf(body);
      if (type === "Q") return first;
      if (type === "P") return second;
      return type === "B" ? prepared.get(second) : undefined;
    },
    runBy({ type, body }) {
      const [first = "", second = ""] = wordsOf(body);
      if (type === "P") prepared.set(first, second);
      if (type === "B") portals.set(first, prepared.get(second) ?? "");
      if (type === "Q") return first;
      return type === "E" ? portals.get(first) : undefined;
    },
  };
}

function wordsOf(body: Buffer): string[] {
  return body.toString("latin1").split("\0", 2);
}

function messages(
  hasType: () => boolean,
  onMessage: (message: PostgresMessage) => void,
): (piece: Buffer) => void {
  let bytes = Buffer.alloc(0);
  return (piece) => {
    bytes = Buffer.concat([bytes, piece]);
    for (;;) {
      const from = hasType() ? 1 : 0;
      if (bytes.length < from + 4) return;
      const end = from + bytes.readUInt32BE(from);
      if (bytes.length < end) return;
      const type = from === 0 ? "" : String.fromCharCode(bytes[0] ?? 0);
      const message = { type, body: bytes.subarray(from + 4, end), bytes: bytes.subarray(0, end) };
      bytes = bytes.subarray(end);
      onMessage(message);
    }
  };
}
