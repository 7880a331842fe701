import { Buffer } from "node:buffer";

/**
 * A result as the members of a JSON object, without its braces: `"output":…`, `"error":…`, both or neither,
 * as the public Python worker SDK sends them.
 */
export type ResultMembers = string;

/** The size limit of results and chunks, bytes. */
const LIMIT = 25 * 1_048_576;

/**
 * The result of a handler that returned `value`. The member `error` of an object is removed, and fails the
 * job if it is truthy. An empty object, or nothing, is success without output. Throws a TypeError for a value
 * that JSON cannot represent.
 */
export function resultOf(value: unknown, workerId: string): ResultMembers {
  if (!isObjectWithError(value)) return outputOf(value);
  const { error, ...output } = value;
  if (!error) return outputOf(output);
  return [outputOf(output), errorOf(error, workerId)].filter((member) => member !== "").join(",");
}

/** The result of a handler that threw. The error is a JSON string with what is known of the exception. */
export function failureOf(thrown: unknown, workerId: string): ResultMembers {
  const isError = thrown instanceof Error;
  const description = JSON.stringify({
    error_type: isError ? thrown.name : typeof thrown,
    error_message: isError ? thrown.message : String(thrown),
    error_traceback: isError ? (thrown.stack ?? "") : "",
    worker_id: workerId,
  });
  return `"error":${JSON.stringify(description)}`;
}

/** The result of a job that ends because of a yield with a truthy `error`; undefined for any other yield. */
export function failureOfYield(value: unknown, workerId: string): ResultMembers | undefined {
  return isObjectWithError(value) && value.error ? errorOf(value.error, workerId) : undefined;
}

/** The result of a job whose output the server will not take. */
export function unkeepable(sentence: string): ResultMembers {
  return `"error":${JSON.stringify(`the output of the handler could not be stored: ${sentence}`)}`;
}

/** Why this JSON is too large for the server; undefined if it is not. */
export function sizeFault(json: string): string | undefined {
  // A character has at most three bytes, so most texts need not be counted.
  if (json.length * 3 <= LIMIT) return undefined;
  const size = Buffer.byteLength(json);
  return size <= LIMIT ? undefined : `it has ${size} bytes, and the server takes at most ${LIMIT}`;
}

/** The members of a result as they are sent, with the request to replace the worker if there is one. */
export function sentMembers(members: ResultMembers, endsWorker: boolean): string {
  if (!endsWorker) return members;
  return members === "" ? '"stopPod":true' : `${members},"stopPod":true`;
}

/** Whether what a handler returned, or yielded, fails its job. */
export function isFailure(value: unknown): boolean {
  return isObjectWithError(value) && Boolean(value.error);
}

function outputOf(value: unknown): ResultMembers {
  const json: string | undefined = JSON.stringify(value);
  return json === undefined || json === "{}" ? "" : `"output":${json}`;
}

function errorOf(error: unknown, workerId: string): ResultMembers {
  // The members of an exception are not enumerable, so its JSON would be empty.
  if (error instanceof Error) return failureOf(error, workerId);
  return `"error":${JSON.stringify(error) ?? JSON.stringify(String(error))}`;
}

function isObjectWithError(value: unknown): value is { error: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && "error" in value;
}

/** What a handler returned, without its request to replace the worker after the job. */
export class Answer {
  readonly value: unknown;
  readonly wantsRefresh: boolean;

  constructor(value: unknown, wantsRefresh: boolean) {
    this.value = value;
    this.wantsRefresh = wantsRefresh;
  }

  /** The member `refresh_worker` of an object is removed. If it is truthy, it is the request. */
  static of(returned: unknown): Answer {
    if (returned instanceof Answer) return returned;
    if (!hasWish(returned)) return new Answer(returned, false);
    const { refresh_worker: wish, ...value } = returned;
    return new Answer(value, Boolean(wish));
  }
}

function hasWish(value: unknown): value is { refresh_worker: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && "refresh_worker" in value;
}

/** Whether a handler returned the yields of its job. */
export function isYielding(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof value !== "object" || value === null) return false;
  // Lists and other collections are outputs. Of the iterables, only iterators yield.
  return Symbol.asyncIterator in value || (Symbol.iterator in value && "next" in value);
}
