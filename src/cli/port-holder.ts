import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { errorCode } from "../domain/errors.ts";

/** The message if another program uses the port of the server. */
export function takenPort(port: number): string {
  const holder = portHolder(port);
  const who = holder === undefined ? "another program" : `${holder.name} (process ${holder.pid})`;
  return `Port ${port} is in use by ${who}. Stop it, or choose a port with --port.`;
}

/** The program that listens on a port. */
interface PortHolder {
  readonly name: string;
  readonly pid: number;
}

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/** The state LISTEN in the kernel's tables. */
const LISTEN = "0A";

/** Processes of other users are not readable, and processes can end meanwhile. */
const NOT_READABLE = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR", "EINVAL"]);

/**
 * The program that listens on a port of this machine. Undefined on other systems than Linux, or if the
 * program belongs to another user.
 */
function portHolder(port: number): PortHolder | undefined {
  const sockets = new Set(TABLES.flatMap((table) => listenersIn(table, port)));
  if (sockets.size === 0) return undefined;
  // The parent comes first: workers of a server inherit its socket.
  const pids = (readable(() => readdirSync("/proc")) ?? []).map(Number).filter(Number.isInteger);
  const pid = pids.toSorted((a, b) => a - b).find((each) => holdsOneOf(each, sockets));
  return pid === undefined ? undefined : { name: nameOf(pid), pid };
}

/** The listening sockets of this port, as the links in `/proc/<pid>/fd` name them. */
function listenersIn(table: string, port: number): string[] {
  const lines = (readable(() => readFileSync(table, "utf8")) ?? "").split("\n").slice(1);
  return lines.flatMap((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    const isIt = state === LISTEN && Number.parseInt(local.split(":")[1] ?? "", 16) === port;
    return isIt ? [`socket:[${inode}]`] : [];
  });
}

function holdsOneOf(pid: number, sockets: ReadonlySet<string>): boolean {
  const directory = `/proc/${pid}/fd`;
  const files = readable(() => readdirSync(directory)) ?? [];
  return files.some((file) => sockets.has(readable(() => readlinkSync(`${directory}/${file}`)) ?? ""));
}

function nameOf(pid: number): string {
  const words = (readable(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? "").split("\0");
  if (isForebay(words)) return "Forebay";
  const program = readable(() => readlinkSync(`/proc/${pid}/exe`)) ?? "";
  const name = program === "" ? readable(() => readFileSync(`/proc/${pid}/comm`, "utf8")) : basename(program);
  return name?.replace(/ \(deleted\)$/, "").trim() || "another program";
}

/** The runtime with our program behind it, or the executable. */
function isForebay([program = "", ...words]: readonly string[]): boolean {
  const isServer = words.some((word) => word === "serve" || word === "dev");
  const isOurs = basename(program).startsWith("forebay") || words.some((word) => OURS.test(word));
  return isServer && isOurs;
}

const OURS = /(?:^|\/)src\/cli\/main\.ts$|(?:^|\/)forebay(?:\.mjs)?$/;

/** Undefined if it cannot be read. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (NOT_READABLE.has(errorCode(error))) return undefined;
    throw error;
  }
}
