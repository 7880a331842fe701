import { ForebayError } from "../../domain/errors.ts";
import type { JobRecord } from "../../domain/job.ts";
import type { Engine } from "../../engine/engine.ts";
import { followStream } from "../../engine/follow-stream.ts";
import { type AnswerRoom, MODEL_PATIENCE } from "../answer-room.ts";
import { memberOf, valueOf } from "../json/json-node.ts";
import { scanJson } from "../json/json-scan.ts";
import { failureOfJob, failureOfOutput } from "./model-failure.ts";
import { payloadBytes } from "../present/payload-part.ts";
import { outputValues, stringOf, YieldedOutputs } from "./outputs.ts";

/**
 * The answer of a job that has ended (wire-facts 4.3). If its output is a list with one element, that element
 * is the answer. Pieces of text are joined, and text that is JSON is answered as JSON. Throws ModelFailure.
 */
export async function wholeAnswer(
  engine: Engine,
  room: AnswerRoom,
  job: JobRecord,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (job.state !== "COMPLETED") throw failureOfJob(job.state, await errorOf(engine, job));
  const output = await outputOf(engine, room, job, signal);
  const answer = await unwrapped(output);
  const failure = failureOfOutput(await headOf(answer));
  if (failure !== undefined) throw failure;
  return answer;
}

/** The text of a job's error. */
export async function errorOf(engine: Engine, { error }: JobRecord): Promise<string> {
  return error === undefined ? "" : JSON.parse(new TextDecoder().decode(await payloadBytes(engine, error)));
}

/** An output that describes an error, parsed; undefined for any other. */
export async function headOf(json: Uint8Array): Promise<unknown> {
  const root = await scanJson(json, 1);
  if (root.type !== "object") return undefined;
  const nodes = ["object", "error"].flatMap((name) => memberOf(root, name) ?? []);
  if (nodes.length === 0) return undefined;
  const isError = failureOfOutput(Object.fromEntries(nodes.map((node) => [node.key, valueOf(json, node)])));
  return isError && JSON.parse(new TextDecoder().decode(json));
}

/** The yields of a generator that does not aggregate are only in the stream. */
async function outputOf(
  engine: Engine,
  room: AnswerRoom,
  job: JobRecord,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { endpoint, id, output } = job;
  if (output !== undefined) await room.add(output, MODEL_PATIENCE);
  const bytes = output === undefined ? NO_YIELDS : await payloadBytes(engine, output);
  if ((await outputValues(bytes)).length > 0) return bytes;
  const yields: Uint8Array[] = [];
  const outputs = new YieldedOutputs(engine, room);
  const call = { endpoint, id, place: { from: 0, attempt: undefined }, silence: 1_000, signal };
  for await (const { chunks } of followStream(engine, call)) {
    for (const chunk of chunks) {
      const output = await outputs.add(chunk);
      if (output !== undefined) yields.push(output);
    }
  }
  return listOf(yields);
}

const NO_YIELDS = Buffer.from("[]");

function listOf(values: readonly Uint8Array[]): Uint8Array {
  const parts = values.flatMap((value, index) => [Buffer.from(index === 0 ? "[" : ","), value]);
  return values.length === 0 ? NO_YIELDS : Buffer.concat([...parts, Buffer.from("]")]);
}

async function unwrapped(output: Uint8Array): Promise<Uint8Array> {
  const values = await outputValues(output);
  const [only] = values;
  const isList = output[0] === "[".charCodeAt(0);
  if (isList && values.length === 1 && only !== undefined) return unwrapped(only);
  const texts = values.map(stringOf);
  if (texts.length === 0 || texts.includes(undefined)) return output;
  const text = Buffer.from(texts.join(""));
  return (await isDocument(text)) ? text : Buffer.from(JSON.stringify(texts.join("")));
}

/** Whether a text is a JSON object or array. */
async function isDocument(text: Uint8Array): Promise<boolean> {
  try {
    const { type } = await scanJson(text, 0);
    return type === "object" || type === "array";
  } catch (error) {
    if (error instanceof ForebayError && error.code === "MALFORMED_JSON") return false;
    throw error;
  }
}
