import { edenGC } from "bun:jsc";

/** So many bytes of texts may be garbage before they are collected: that takes about a millisecond. */
const ENOUGH = 8 * 1_048_576;

let made = 0;

/**
 * To be called with the size of large texts that are of no use any more. The runtime by itself collects when
 * it has as much garbage as live data, and a server can have hundreds of megabytes of settings.
 */
export function madeGarbage(bytes: number): void {
  made += bytes;
  if (made < ENOUGH) return;
  made = 0;
  edenGC();
}
