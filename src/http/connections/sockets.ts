import { dlopen } from "bun:ffi";
import { closeSync, openSync, readFileSync } from "node:fs";
import { errorCode, isOutOfDescriptors } from "../../domain/errors.ts";

/** A connection to this server. */
export interface Peer {
  /** Its file descriptor. */
  readonly descriptor: number;
  readonly address: string;
  readonly port: number;
}

/**
 * The file descriptors of this process. The runtime does not show a connection before its first request, and
 * cannot close it. So this reads the sockets themselves.
 */
export interface Sockets {
  /** How many the process may have open. */
  readonly limit: number;
  /** The lowest free descriptor: all below it are in use. `limit` if none is free. */
  lowestFree(): number;
  /** The connections to this port. */
  peers(port: number): Peer[];
  /** Ends the connection. The runtime then closes it as if the client had disconnected. */
  close(descriptor: number): void;
}

const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/** `AF_INET`, `AF_INET6` and `SHUT_RDWR` of Linux. */
const IPV4 = 2;
const IPV6 = 10;
const BOTH_WAYS = 2;

/** Room for any address of a socket, bytes. */
const ADDRESS_SIZE = 128;

/** Stands for "unlimited". */
const MANY = 1_048_576;

/** The sockets of this process; undefined if the system is not Linux. */
export function processSockets(): Sockets | undefined {
  const libc = process.platform === "linux" ? loadLibc() : undefined;
  if (libc === undefined) return undefined;
  const { getpeername, getsockname, shutdown } = libc.symbols;
  const address = new Uint8Array(ADDRESS_SIZE);
  const view = new DataView(address.buffer);
  const length = new Uint32Array(1);
  const limit = descriptorLimit();

  function portAfter(look: typeof getsockname, descriptor: number): number | undefined {
    length[0] = ADDRESS_SIZE;
    if (look(descriptor, address, length) !== 0) return undefined;
    const family = view.getUint16(0, true);
    return family === IPV4 || family === IPV6 ? view.getUint16(2) : undefined;
  }

  return {
    limit,
    lowestFree: () => lowestFree(limit),

    peers(port) {
      const peers: Peer[] = [];
      const highest = Math.max(lowestFree(limit), Math.min(limit, MANY_LOOKS));
      for (let descriptor = 3; descriptor < highest; descriptor++) {
        if (portAfter(getsockname, descriptor) !== port) continue;
        const from = portAfter(getpeername, descriptor);
        // The listening socket has no peer.
        if (from !== undefined) peers.push({ descriptor, port: from, address: addressIn(address, view) });
      }
      return peers;
    },

    close: (descriptor) => void shutdown(descriptor, BOTH_WAYS),
  };
}

/** Looks at no more descriptors than this, unless all below are in use. */
const MANY_LOOKS = 4_096;

/** The text of an address, always the same text for an address. */
export function canonicalAddress(address: string): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  // Without the interface after "%", which is not allowed in a URL.
  const [plain = ""] = address.split("%", 1);
  return new URL(`http://[${plain}]`).hostname.slice(1, -1);
}

function addressIn(bytes: Uint8Array, view: DataView): string {
  if (view.getUint16(0, true) === IPV4) return `${bytes[4]}.${bytes[5]}.${bytes[6]}.${bytes[7]}`;
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(8 + index * 2));
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return bytes.subarray(20, 24).join(".");
  return canonicalAddress(groups.map((group) => group.toString(16)).join(":"));
}

function loadLibc() {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, {
        getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
        getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
        shutdown: { args: ["i32", "i32"], returns: "i32" },
      });
    } catch (error) {
      if (errorCode(error) !== "ERR_DLOPEN_FAILED") throw error;
    }
  }
  return undefined;
}

/** The current limit. The runtime has raised it to the highest that the operator allows. */
function descriptorLimit(): number {
  const [, given = ""] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return /^[0-9]{1,9}$/.test(given) ? Number(given) : MANY;
}

function lowestFree(limit: number): number {
  try {
    const descriptor = openSync("/dev/null", "r");
    closeSync(descriptor);
    return descriptor;
  } catch (error) {
    if (isOutOfDescriptors(error)) return limit;
    throw error;
  }
}
