import type { WorkerName } from "../store/store.ts";

/** The keys under which calls wait. No id has a space in it, so keys of two kinds are never equal. */

/** The beginning of the keys of calls that wait for the end of a job, and for a chunk. */
export const END_KEYS = "end ";
export const CHUNK_KEYS = "chunk ";

/** For the end of a job. */
export function endKey(endpoint: string, id: string): string {
  return `${END_KEYS}${endpoint} ${id}`;
}

/** For a chunk of a job, or its end. */
export function chunkKey(endpoint: string, id: string): string {
  return `${CHUNK_KEYS}${endpoint} ${id}`;
}

/** The beginning of the keys of workers that wait for a job to stop. */
export const STOP_KEYS = "stop ";

/** For a job that a worker must stop. */
export function stopKey(endpoint: string, worker: string): string {
  return `${STOP_KEYS}${endpoint} ${worker}`;
}

/** The worker that waits under such a key. */
export function waitingForStop(key: string): WorkerName {
  const [, endpoint = "", worker = ""] = key.split(" ");
  return { endpoint, worker };
}

/** The beginning of these keys for the workers of an endpoint. */
export function stopKeys(endpoint: string): string {
  return stopKey(endpoint, "");
}

/** For news that many calls follow. */
export function readingKey(name: string): string {
  return `reading ${name}`;
}

/** For a webhook that is due, or one whose attempt has ended. */
export const DELIVERY_KEY = "delivery";

/** For work of the fleet: a queue that fills, a worker that wants to be replaced. */
export const FLEET_KEY = "fleet";
