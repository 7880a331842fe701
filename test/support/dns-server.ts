import { createSocket } from "node:dgram";

export type RecordType = "A" | "AAAA";

/** What the server says about a name; with `alias` the addresses are those of another name (CNAME). */
export type DnsAnswer =
  | { readonly addresses: readonly string[]; readonly alias?: string }
  | "no such name"
  | "server failure"
  | "silence";

export interface DnsServer extends AsyncDisposable {
  /** `address:port`, as a resolver takes it. */
  readonly address: string;
  /** Of all queries so far, `type name`. */
  readonly queries: readonly string[];
}

const TYPES: Readonly<Record<number, RecordType>> = { 1: "A", 28: "AAAA" };
const CNAME = 5;

/** A name server on loopback over UDP (RFC 1035), which says what the test wants. */
export async function startDnsServer(
  answer: (name: string, type: RecordType) => DnsAnswer,
): Promise<DnsServer> {
  const queries: string[] = [];
  // Large enough for hundreds of queries at once: a lost one is repeated only after a second.
  const socket = createSocket({ type: "udp4", recvBufferSize: 4_000_000 });
  socket.on("message", (query, from) => {
    const { name, typeCode, end } = questionOf(query);
    const type = TYPES[typeCode];
    if (type === undefined) return;
    queries.push(`${type} ${name}`);
    const said = answer(name, type);
    if (said === "silence") return;
    socket.send(replyTo(query.subarray(0, end), typeCode, said), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

interface Question {
  readonly name: string;
  readonly typeCode: number;
  /** Where it ends in the message. */
  readonly end: number;
}

function questionOf(query: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), typeCode: query.readUInt16BE(at + 1), end: at + 5 };
}

function replyTo(question: Buffer, typeCode: number, said: Exclude<DnsAnswer, "silence">): Buffer {
  const codes = { "no such name": 3, "server failure": 2 };
  const code = typeof said === "string" ? codes[said] : 0;
  const records = typeof said === "string" ? [] : recordsOf(typeCode, said);
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 + code, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

function recordsOf(
  typeCode: number,
  { addresses, alias }: { readonly addresses: readonly string[]; readonly alias?: string },
): Buffer[] {
  // The name of the question, which begins at byte 12.
  const asked = Buffer.from([0xc0, 12]);
  if (alias === undefined) return addresses.map((address) => record(asked, typeCode, bytesOf(address)));
  const other = nameOf(alias);
  return [
    record(asked, CNAME, other),
    ...addresses.map((address) => record(other, typeCode, bytesOf(address))),
  ];
}

/** Of class IN, to be kept for no time. */
function record(name: Buffer, typeCode: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(typeCode, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, head, data]);
}

function nameOf(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

/** IPv4 with dots, or IPv6 with colons and at most one `::`. */
function bytesOf(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  const [left = [], right = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex");
}
