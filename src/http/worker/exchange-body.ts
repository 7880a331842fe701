import { ForebayError } from "../../domain/errors.ts";
import { allHere, type Soon, whenHere } from "../../domain/soon.ts";
import type { WorkerIdentity } from "../../domain/worker.ts";
import type { Yield } from "../../engine/append.ts";
import type { ProgressReport } from "../../engine/progress.ts";
import type { Report } from "../../engine/report.ts";
import { type JsonNode, memberOf, spanOf, valueOf } from "../json/json-node.ts";
import { scanJson } from "../json/json-scan.ts";
import { chunksOf } from "./chunk.ts";
import { errorOf, REPORT_LIMIT, tooLargeReport, unkept, wantsReplacement } from "./result.ts";

/** What a worker sends in an exchange; docs/worker-protocol.md has the format. */
export interface ExchangeBody {
  /** Ids of its jobs, apart from those that it reports here. */
  readonly alive: readonly string[];
  readonly yields: readonly Yield[];
  readonly progress: readonly ProgressReport[];
  readonly results: readonly Report[];
  /** One of the results asks for a fresh worker in its place. */
  readonly wantsReplacement: boolean;
  readonly take: number;
  readonly wait: number;
}

export const MAX_TAKE = 1_000;
export const MAX_WAIT = 60_000;

/** The levels of containers whose members are needed: the body, its lists, and their entries. */
const DEPTH = 3;

/** Throws MALFORMED_JSON and INVALID_FIELD; then nothing of the call has had an effect. */
export async function parseExchange(bytes: Uint8Array, worker: WorkerIdentity): Promise<ExchangeBody> {
  const scanned = scanJson(bytes, DEPTH);
  const root = scanned instanceof Promise ? await scanned : scanned;
  if (root.type !== "object") throw invalid("The body must be a JSON object.");
  const list = (name: string): JsonNode[] => listOf(root, name);
  const alive = list("alive").map((node) => textOf(bytes, node, "alive"));
  const split = allHere(list("chunks").map((node) => yieldOf(bytes, node, worker)));
  const yields = split instanceof Promise ? await split : split;
  const progress = list("progress").map((node) => progressOf(bytes, node, worker));
  const results: Report[] = [];
  for (const node of list("results")) {
    const result = resultOf(bytes, node, worker);
    results.push(result instanceof Promise ? await result : result);
  }
  return {
    alive,
    yields,
    progress,
    results,
    wantsReplacement: list("results").some((node) => wantsReplacement(bytes, node)),
    take: integerOf(bytes, root, "take", MAX_TAKE),
    wait: integerOf(bytes, root, "wait", MAX_WAIT),
  };
}

function yieldOf(bytes: Uint8Array, node: JsonNode, worker: WorkerIdentity): Soon<Yield> {
  const { job, attempt } = subjectOf(bytes, node, "chunks");
  return whenHere(chunksOf(bytes, node), (chunks) => ({ worker, job, attempt, chunks }));
}

function progressOf(bytes: Uint8Array, node: JsonNode, worker: WorkerIdentity): ProgressReport {
  const { job, attempt } = subjectOf(bytes, node, "progress");
  const value = memberOf(node, "value");
  if (value === undefined) throw invalid("progress: an entry has no value.");
  return { worker, job, attempt, value: spanOf(bytes, value) };
}

function resultOf(bytes: Uint8Array, node: JsonNode, worker: WorkerIdentity): Report | Promise<Report> {
  const { job, attempt } = subjectOf(bytes, node, "results");
  const output = memberOf(node, "output");
  const isKept = node.end - node.start <= REPORT_LIMIT;
  const error = isKept ? errorOf(bytes, memberOf(node, "error")) : unkept("result", tooLargeReport());
  const result = { worker, job, attempt, output: output && spanOf(bytes, output) };
  if (error instanceof Promise) return error.then((text) => ({ ...result, error: text }));
  return { ...result, error };
}

/** The job and the attempt that an entry is about. */
function subjectOf(bytes: Uint8Array, node: JsonNode, list: string): { job: string; attempt: number } {
  const id = memberOf(node, "id");
  if (id === undefined) throw invalid(`${list}: an entry has no id.`);
  const attempt = integerOf(bytes, node, "attempt", Number.MAX_SAFE_INTEGER);
  if (attempt === 0) throw invalid(`${list}: an entry has no attempt.`);
  return { job: textOf(bytes, id, `${list}: id`), attempt };
}

function listOf(root: JsonNode, name: string): JsonNode[] {
  const node = memberOf(root, name);
  if (node === undefined) return [];
  if (node.type !== "array") throw invalid(`${name} must be an array.`);
  return node.children;
}

function textOf(bytes: Uint8Array, node: JsonNode, name: string): string {
  const value = node.type === "string" ? valueOf(bytes, node) : undefined;
  if (typeof value !== "string") throw invalid(`${name} must be a string.`);
  return value;
}

/** An integer from 0 to `max`; 0 if it is left out. */
function integerOf(bytes: Uint8Array, object: JsonNode, name: string, max: number): number {
  const node = memberOf(object, name);
  if (node === undefined) return 0;
  const value = node.type === "number" ? valueOf(bytes, node) : undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw invalid(`${name} must be an integer between 0 and ${max}.`);
}

function invalid(sentence: string): ForebayError {
  return new ForebayError("INVALID_FIELD", sentence);
}
