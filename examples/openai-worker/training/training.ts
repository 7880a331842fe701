import { randomOf } from "../model/random.ts";
import { SHAPE, weightsOf } from "../model/shape.ts";
import { FIRST_MERGE, Tokenizer } from "../model/tokenizer.ts";
import { corpus, tokensOf } from "./corpus.ts";
import { learnMerges } from "./learn-merges.ts";
import { addLoss } from "./loss.ts";
import { Optimizer } from "./optimizer.ts";
import { type Node, nodeOf } from "./tape.ts";

/** Texts from which the merges are learned. */
const TEXTS = 2_000;
/** Tokens of a text in training, and texts in a step. */
const [LENGTH, BATCH] = [96, 4];
const RATE = 0.004;
const WARM_UP = 50;

/** What training has made so far. */
export interface Trained {
  readonly merges: readonly (readonly [number, number])[];
  /** All weights one after the other, each as 32 bits, the least significant byte first. */
  readonly weights: Uint8Array;
}

/**
 * Trains the model from nothing in `steps` steps, of which it goes `until` (all). The same seed gives
 * the same bytes on every machine. `tell` is told the loss of each step.
 */
export function train(
  seed: number,
  steps: number,
  { until = steps, tell = () => {} }: { until?: number; tell?: (step: number, loss: number) => void } = {},
): Trained {
  const random = randomOf(seed);
  const texts = corpus(random);
  const sample = Array.from({ length: TEXTS }, () => texts.next().value);
  const merges = learnMerges(
    sample.map((turns) => turns.map(([, text]) => text).join("\n")).join("\n"),
    SHAPE.vocabulary - FIRST_MERGE,
  );
  const tokenizer = new Tokenizer(merges);
  const nodes: Node[] = [];
  const weights = weightsOf((rows, columns, name) => {
    const node = nodeOf(rows, columns);
    const isLast = name === "output" || name === "down";
    const spread = isLast ? 0 : name === "embedding" ? 0.05 : 1 / Math.sqrt(columns);
    for (let at = 0; at < node.values.length; at++) node.values[at] = spread * bell(random);
    nodes.push(node);
    return node;
  });
  const optimizer = new Optimizer(nodes);
  let waiting: number[] = [];
  for (let step = 0; step < until; step++) {
    let loss = 0;
    for (let part = 0; part < BATCH; part++) {
      while (waiting.length <= LENGTH) waiting.push(...tokensOf(tokenizer, texts.next().value));
      loss += addLoss(weights, waiting.slice(0, LENGTH + 1), 1 / BATCH) / BATCH;
      waiting = waiting.slice(LENGTH);
    }
    optimizer.step(RATE * Math.min((step + 1) / WARM_UP, 1) * (1 - step / steps));
    tell(step, loss);
  }
  return { merges, weights: littleEndian(nodes) };
}

/** A random number around 0, mostly between -1 and 1. */
function bell(random: () => number): number {
  let sum = -6;
  for (let count = 0; count < 12; count++) sum += random();
  return sum;
}

function littleEndian(nodes: readonly Node[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(nodes.reduce((sum, { values }) => sum + values.length * 4, 0)));
  let at = 0;
  for (const { values } of nodes) {
    for (const value of values) {
      view.setFloat32(at, value, true);
      at += 4;
    }
  }
  return new Uint8Array(view.buffer);
}
