import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Reader } from "./reader.ts";
import { type Weights, weightsOf } from "./shape.ts";
import { Tokenizer } from "./tokenizer.ts";

/** The model as it lies in this directory: what it knows, and how it reads and writes. */
export class LanguageModel {
  readonly tokenizer: Tokenizer;
  /** Names the weights: with the same ones, a seed gives the same text again. */
  readonly fingerprint: string;
  readonly #weights: Weights;

  /** Reads the files; throws when they are not there. */
  constructor() {
    const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));
    const bytes = read("weights.bin");
    const merges: [number, number][] = JSON.parse(read("merges.json").toString());
    this.tokenizer = new Tokenizer(merges);
    this.fingerprint = `fp_${createHash("sha256").update(bytes).digest("hex").slice(0, 10)}`;
    let at = 0;
    this.#weights = weightsOf((rows, columns) => {
      const values = new Float64Array(rows * columns);
      for (let index = 0; index < values.length; index++, at += 4) values[index] = bytes.readFloatLE(at);
      return { rows, columns, values };
    });
  }

  /** Begins to read a text. */
  reader(): Reader {
    return new Reader(this.#weights);
  }
}
