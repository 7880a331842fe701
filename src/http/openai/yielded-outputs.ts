import type { Payload } from "../../domain/payload.ts";
import type { Engine } from "../../engine/engine.ts";
import { type AnswerRoom, MODEL_PATIENCE } from "../answer-room.ts";
import { scanJson } from "../json/json-scan.ts";
import { memberOf } from "../json/json-text.ts";
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
    const root = await scanJson(bytes, 1);
    const output = memberOf(root, "output");
    if (output === undefined) return undefined;
    const json = bytes.subarray(output.start, output.end);
    const [part, parts] = ["part", "parts"].map((name) => {
      const node = memberOf(root, name);
      return node && Number(new TextDecoder().decode(bytes.subarray(node.start, node.end)));
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
