import type { Payload } from "../../domain/payload.ts";
import type { Engine } from "../../engine/engine.ts";
import { type AnswerRoom, MODEL_PATIENCE } from "../answer-room.ts";
import { type JsonNode, memberOf, spanOf, textOf } from "../json/json-node.ts";
import { scanJson, scanSmallJson } from "../json/json-scan.ts";
import { payloadBytes } from "../present/payload-part.ts";

/** The values of an output: the elements of an array, or the output itself. Each is JSON, as it was sent. */
export async function outputValues(output: Uint8Array): Promise<Uint8Array[]> {
  return valuesIn(output, await scanJson(output, 1));
}

/** The same for an output of at most 128 kB. */
export function smallOutputValues(output: Uint8Array): Uint8Array[] {
  return valuesIn(output, scanSmallJson(output, 1));
}

function valuesIn(output: Uint8Array, root: JsonNode): Uint8Array[] {
  const nodes = root.type === "array" ? root.children : [root];
  return nodes.map(({ start, end }) => output.subarray(start, end));
}

const QUOTE = '"'.charCodeAt(0);

/** Shared, because creating one costs more than it decodes here. */
const DECODER = new TextDecoder();

/** The text that a JSON string stands for; undefined for any other value. */
export function stringOf(json: Uint8Array): string | undefined {
  return json[0] === QUOTE ? JSON.parse(DECODER.decode(json)) : undefined;
}

/**
 * The outputs of a job's chunks, as its worker yielded them. An output that was too large for one chunk is
 * put together again (decision 0004). Memory holds the pieces of one output, and an output has a limit.
 */
export class YieldedOutputs {
  readonly #engine: Engine;
  readonly #room: AnswerRoom;
  #pieces: Uint8Array[] = [];

  constructor(engine: Engine, room: AnswerRoom) {
    this.#engine = engine;
    this.#room = room;
  }

  /** Whether more chunks of an output must follow. */
  get isOpen(): boolean {
    return this.#pieces.length > 0;
  }

  /** The output that the chunk is or completes, as JSON; undefined if it has none, or more of it follows. */
  async add(chunk: Payload): Promise<Uint8Array | undefined> {
    await this.#room.add(chunk, MODEL_PATIENCE);
    const bytes = await payloadBytes(this.#engine, chunk);
    return this.#addScanned(bytes, await scanJson(bytes, 1));
  }

  /** The same for a chunk of at most 64 kB, which needs no room. */
  addSmall(chunk: Uint8Array): Uint8Array | undefined {
    return this.#addScanned(chunk, scanSmallJson(chunk, 1));
  }

  #addScanned(bytes: Uint8Array, root: JsonNode): Uint8Array | undefined {
    const output = memberOf(root, "output");
    if (output === undefined) return undefined;
    const json = spanOf(bytes, output);
    const [part, parts] = ["part", "parts"].map((name) => {
      const node = memberOf(root, name);
      return node && Number(textOf(bytes, node));
    });
    if (part === undefined) return json;
    this.#pieces.push(Buffer.from(stringOf(json) ?? ""));
    if (part !== parts) return undefined;
    const whole = Buffer.concat(this.#pieces);
    this.forget();
    return whole;
  }

  /** The job runs again from the start: drops the pieces of its earlier attempt. */
  forget(): void {
    this.#pieces = [];
  }
}
