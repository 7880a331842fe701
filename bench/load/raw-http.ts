/** One connection of a load, on which one request at a time is under way. */
export interface Connection {
  /** The answer, with its headers. */
  ask(request: Buffer): Promise<string>;
}

/** The text of a request with a JSON body, if any. */
export function requestText(method: string, path: string, key: string, body?: string): Buffer {
  const length =
    body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${body.length}`];
  const head = [`${method} ${path} HTTP/1.1`, "Host: bench", `Authorization: Bearer ${key}`, ...length];
  return Buffer.from([...head, "", body ?? ""].join("\r\n"));
}

/** Stays open from one request to the next. If the server closes it in between, the next request opens it. */
export async function connection(port: number): Promise<Connection> {
  let answered: ((answer: string) => void) | undefined;
  let unsent: Buffer | undefined;
  let received = "";
  const answer = (text: string): void => {
    const resolve = answered;
    [answered, received] = [undefined, ""];
    resolve?.(text);
  };
  const connect = () =>
    Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data(_, bytes) {
          received += bytes.toString("latin1");
          if (isWhole(received)) answer(received);
        },
        drain: () => {
          if (unsent !== undefined) send(unsent);
        },
        close() {
          socket = undefined;
          answer("the server closed the connection");
        },
      },
    });
  let socket: Awaited<ReturnType<typeof connect>> | undefined = await connect();
  const send = (bytes: Buffer): void => {
    const count = socket?.write(bytes) ?? 0;
    unsent = count < bytes.length ? bytes.subarray(count) : undefined;
  };
  return {
    async ask(request) {
      socket ??= await connect();
      return new Promise((resolve) => {
        answered = resolve;
        send(request);
      });
    },
  };
}

/** Says why, and ends the load with a failure. */
export function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}

/** Whether the text is a whole answer, by its length or by its last chunk. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
  if (length !== undefined) return text.length >= end + 4 + Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(text.slice(0, end))) return text.endsWith("\r\n0\r\n\r\n");
  // Without a body, such as a 204.
  return true;
}
