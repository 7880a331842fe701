import type { Payload } from "../../domain/payload.ts";
import type { Engine } from "../../engine/engine.ts";
import { type AnswerRoom, MODEL_PATIENCE } from "../answer-room.ts";
import { type JsonNode, scanJson, scanSmallJson } from "../json/json-scan.ts";
import { memberOf, spanOf, textOf } from "../json/json-text.ts";
import { payloadBytes } from "../present/payload-part.ts";
import { stringOf } from "./output-values.ts";

/**
 * The outputs of a job's chunks as its worker has yielded them: what was too large for one chunk is put
 * together again (decision 0004). Holds the pieces of one output at most, and a job's output has a limit.
 */
export class YieldedOutputs {
  readonly #engine: Engine;
  readonly #room: AnswerRoom;
  #pieces: Uint8Array[] = [];

  constructor(engine: Engine, room: AnswerRoom) {
    this.#engine = engine;
    this.#room = room;
  }

  /** Whether more of an output is to come. */
  get isOpen(): boolean {
    return this.#pieces.length > 0;
  }

  /** The output that the chunk is, or ends: JSON. Undefined where it has none, or more of it is to come. */
  async add(chunk: Payload): Promise<Uint8Array | undefined> {
    await this.#room.add(chunk, MODEL_PATIENCE);
    const bytes = await payloadBytes(this.#engine, chunk);
    return this.#addScanned(bytes, await scanJson(bytes, 1));
  }

  /** The same of a chunk of at most 64 kB, which needs no room. */
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

  /** The job is put out anew: what is held belongs to nothing. */
  forget(): void {
    this.#pieces = [];
  }
}
