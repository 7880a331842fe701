import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { z } from "zod";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import { onAbort } from "../../domain/on-abort.ts";
import { visibleLine } from "../../domain/visible-text.ts";
import type { EngineAddress } from "./engine-address.ts";

/** The supported versions of the Engine API. The newest that both sides support is used. */
const OLDEST = [1, 40] as const;
const NEWEST = [1, 47] as const;

/** How long the engine may take to begin an answer, or to continue one, ms. */
const PATIENCE = 30_000;

/** How long it may take to tell its version, ms. It is asked that first, so this shows whether it answers. */
const VERSION_PATIENCE = 5_000;

/** The largest answer, bytes. */
const ANSWER_LIMIT = 64 * 1_048_576;

interface EngineCall {
  readonly method: "GET" | "POST" | "DELETE";
  /** Without the version, such as `/containers/json`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The minor version of the API, for a call that needs a newer one than all others. */
  readonly newest?: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the answer may take to begin, ms. */
  readonly patience?: number;
  readonly signal?: AbortSignal;
}

/**
 * A Docker Engine, or what speaks its API. Each call throws EngineFault if the engine refuses it or does not
 * answer.
 */
export interface DockerEngine {
  /** Reads the whole answer and checks it against the schema. */
  call<Schema extends z.ZodType>(call: EngineCall, schema: Schema): Promise<z.output<Schema>>;
  /** A call whose answer does not matter. */
  send(call: EngineCall): Promise<void>;
  /** A streamed answer, from its beginning. The signal ends it. */
  open(call: EngineCall): Promise<IncomingMessage>;
}

/** Each call has a connection of its own: a pool would keep connections that died with the engine. */
export function dockerEngine(address: EngineAddress, clock: Clock): DockerEngine {
  return new EngineClient(address, clock);
}

class EngineClient implements DockerEngine {
  readonly #address: EngineAddress;
  readonly #clock: Clock;
  /** The minor version of the engine's API. */
  #version: Promise<number> | undefined;

  constructor(address: EngineAddress, clock: Clock) {
    this.#address = address;
    this.#clock = clock;
  }

  async call<Schema extends z.ZodType>(call: EngineCall, schema: Schema): Promise<z.output<Schema>> {
    const parsed = schema.safeParse(jsonOf(await this.#text(call)));
    if (parsed.success) return parsed.data;
    throw new EngineFault(`its answer to ${call.path} has an unexpected form`, 200);
  }

  async send(call: EngineCall): Promise<void> {
    await this.#text(call);
  }

  async open(call: EngineCall): Promise<IncomingMessage> {
    const minor = Math.min(await this.#theirVersion(), call.newest ?? NEWEST[1]);
    const path = `/v${NEWEST[0]}.${minor}${call.path}${queryOf(call)}`;
    return this.#accepted(await this.#send({ ...call, path }));
  }

  async #text(call: EngineCall): Promise<string> {
    return wholeText(await this.open(call), this.#clock);
  }

  /** Asks again after the engine was away: another version may have come back. */
  #theirVersion(): Promise<number> {
    this.#version ??= this.#askVersion().catch((error: unknown) => {
      this.#version = undefined;
      throw error;
    });
    return this.#version;
  }

  async #askVersion(): Promise<number> {
    const answer = await this.#accepted(
      await this.#send({ method: "GET", path: "/_ping", patience: VERSION_PATIENCE }),
    );
    answer.resume();
    const theirs = String(answer.headers["api-version"] ?? "")
      .split(".")
      .map(Number);
    const [major = 0, minor = 0] = theirs;
    if (major !== OLDEST[0] || minor < OLDEST[1]) {
      const needed = OLDEST.join(".");
      throw new EngineFault(
        `it has version ${theirs.join(".")} of its API, and Forebay requires ${needed}`,
        400,
      );
    }
    return minor;
  }

  /** Throws what the engine says if it does not accept the call. */
  async #accepted(answer: IncomingMessage): Promise<IncomingMessage> {
    const status = answer.statusCode ?? 0;
    if (status < 400) return answer;
    const words = await wholeText(answer, this.#clock);
    const said = z.object({ message: z.string() }).safeParse(jsonOf(words));
    if (said.success) throw new EngineFault(said.data.message, status);
    const plain = visibleLine(words.trim().slice(0, 200));
    throw new EngineFault(`it answered ${status}${plain === "" ? "" : ` (${plain})`}`, status, true);
  }

  /** Resolves when the answer begins. */
  async #send(call: EngineCall): Promise<IncomingMessage> {
    try {
      return await this.#answerTo(call);
    } catch (error) {
      this.#version = undefined;
      throw await this.#faultOf(error);
    }
  }

  #answerTo(call: EngineCall): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = requestTo(this.#address, call);
      const cancel = this.#clock.after(call.patience ?? PATIENCE, () => {
        request.destroy(new EngineFault("it does not answer"));
      });
      const fail = (error: Error): void => {
        cancel();
        reject(error);
      };
      request.on("error", fail);
      request.on("response", (answer) => {
        cancel();
        resolve(answer);
      });
      const { signal } = call;
      if (signal !== undefined) {
        const end = (): ClientRequest => request.destroy(new EngineFault("the call was cancelled"));
        request.on("close", onAbort(signal, end));
      }
      request.end(call.body === undefined ? undefined : JSON.stringify(call.body));
    });
  }

  async #faultOf(error: unknown): Promise<EngineFault> {
    if (error instanceof EngineFault) return error;
    const fault = "socketPath" in this.#address ? await this.#address.fault?.() : undefined;
    return new EngineFault(fault ?? reasonOf(error));
  }
}

function requestTo(address: EngineAddress, { method, path, headers, body }: EngineCall): ClientRequest {
  const options = {
    method,
    path,
    agent: false as const,
    headers: {
      // Over TLS, the certificate must be valid for this name.
      host: "socketPath" in address ? "docker" : `${address.host}:${address.port}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
  };
  if ("socketPath" in address) return http.request({ ...options, socketPath: address.socketPath });
  const { host, port, tls } = address;
  return tls === undefined
    ? http.request({ ...options, host, port })
    : https.request({ ...options, host, port, ...tls });
}

function queryOf({ query = {} }: EngineCall): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? "" : `?${text}`;
}

function wholeText(answer: IncomingMessage, clock: Clock): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let cancel = (): void => undefined;
    const wait = (): void => {
      cancel();
      cancel = clock.after(PATIENCE, () =>
        answer.destroy(new EngineFault("it stopped in the middle of its answer")),
      );
    };
    wait();
    answer.on("data", (piece: Buffer) => {
      wait();
      size += piece.length;
      pieces.push(piece);
      if (size > ANSWER_LIMIT) answer.destroy(new EngineFault("its answer is too long", 200));
    });
    answer.on("end", () => {
      cancel();
      resolve(Buffer.concat(pieces).toString());
    });
    answer.on("error", (error) => {
      cancel();
      reject(error instanceof EngineFault ? error : new EngineFault(reasonOf(error)));
    });
    answer.on("close", () => {
      cancel();
      reject(new EngineFault("it ended its answer early"));
    });
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return code === "" ? String(error) : `it cannot be reached (${code})`;
}

/** The engine refused a call, or does not answer. The message is what it said. */
export class EngineFault extends Error {
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined;

  /** The answer did not have the form of the Engine API, for example because the engine lacks the call. */
  readonly isBare: boolean;

  constructor(message: string, status?: number, isBare = false) {
    super(message);
    this.status = status;
    this.isBare = isBare;
  }

  /** Whether the engine may come back by itself. */
  get isAway(): boolean {
    return this.status === undefined;
  }
}
