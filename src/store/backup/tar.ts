const BLOCK = 512;

/** The largest size that the octal field of a header holds; larger ones are binary, as of GNU tar. */
const OCTAL_LIMIT = 0o77777777777;

const SIZE = { at: 124, length: 12 };
const CHECKSUM = { at: 148, length: 8 };
const TYPE = 156;

/** The header of a file that `bytes` follow. `time` is milliseconds since 1970. */
export function fileHeader(name: string, size: number, time: number): Buffer {
  return header(name, size, time, "0");
}

/** The bytes that fill the last block of a file. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** A whole file. */
export function textFile(name: string, text: string, time: number): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([fileHeader(name, bytes.length, time), bytes, padding(bytes.length)]);
}

/** A comment that programs skip. It keeps a connection in use while there is nothing else to send. */
export function remark(time: number): Buffer {
  const text = Buffer.from("23 comment=please wait\n");
  return Buffer.concat([header("remark", text.length, time, "g"), text, padding(text.length)]);
}

export function endOfArchive(): Buffer {
  return Buffer.alloc(2 * BLOCK);
}

function header(name: string, size: number, time: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100);
  block.write("0000600\0", 100);
  block.write("0000000\0", 108);
  block.write("0000000\0", 116);
  writeSize(block, size);
  block.write(
    `${Math.floor(time / 1_000)
      .toString(8)
      .padStart(11, "0")}\0`,
    136,
  );
  block.write(type, TYPE);
  block.write("ustar\u000000", 257);
  block.write(" ".repeat(CHECKSUM.length), CHECKSUM.at);
  block.write(`${checksumOf(block).toString(8).padStart(6, "0")}\0 `, CHECKSUM.at);
  return block;
}

function writeSize(block: Buffer, size: number): void {
  if (size <= OCTAL_LIMIT) {
    block.write(`${size.toString(8).padStart(SIZE.length - 1, "0")}\0`, SIZE.at);
    return;
  }
  block[SIZE.at] = 0x80;
  block.writeBigUInt64BE(BigInt(size), SIZE.at + SIZE.length - 8);
}

function readSize(block: Buffer): number {
  if (block[SIZE.at] === 0x80) return Number(block.readBigUInt64BE(SIZE.at + SIZE.length - 8));
  return Number.parseInt(block.toString("latin1", SIZE.at, SIZE.at + SIZE.length), 8);
}

function checksumOf(block: Buffer): number {
  let sum = 0;
  for (const [index, byte] of block.entries()) {
    const isChecksum = index >= CHECKSUM.at && index < CHECKSUM.at + CHECKSUM.length;
    sum += isChecksum ? 0x20 : byte;
  }
  return sum;
}

/** A file of an archive. Read its bytes before you ask for the next file; the rest is skipped. */
export interface TarFile {
  readonly name: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Why an archive cannot be read. */
export class TarDamaged extends Error {}

/** The files of an archive, in order. Throws TarDamaged if it is incomplete or no archive. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const input = new Input(source);
  for (;;) {
    const block = await input.whole(BLOCK);
    if (block.every((byte) => byte === 0)) return;
    const recorded = Number.parseInt(block.toString("latin1", CHECKSUM.at, CHECKSUM.at + 6), 8);
    if (recorded !== checksumOf(block)) throw new TarDamaged("it has bytes that are not a tar archive");
    const size = readSize(block);
    const body = input.take(size);
    if (String.fromCharCode(block[TYPE] ?? 0) === "0") {
      const end = block.indexOf(0);
      yield { name: block.toString("utf8", 0, Math.min(end === -1 ? 100 : end, 100)), size, bytes: body };
    }
    for await (const _ of body);
    await input.whole(padding(size).length);
  }
}

/** Reads exact numbers of bytes from pieces of any length. */
class Input {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  async whole(size: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of this.take(size)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *take(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0;) {
      if (this.#rest.length === 0) this.#rest = await this.#next();
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async #next(): Promise<Uint8Array> {
    const { done, value } = await this.#pieces.next();
    if (done === true) throw new TarDamaged("it ends too early");
    return value;
  }
}
