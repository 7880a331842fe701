const FIELDS = "index,uuid,name,memory.total,mig.mode.current";
const FORMAT = "--format=csv,noheader,nounits";

/** The arguments that list the cards of a machine and how busy they are, one row for each. */
export const LIST_CARDS = [`--query-gpu=${FIELDS},utilization.gpu,memory.used`, FORMAT] as const;

/** The same for a driver that does not know how busy they are. */
export const LIST_CARDS_ONLY = [`--query-gpu=${FIELDS}`, FORMAT] as const;

/** The arguments that list the cards and, below each, its MIG slices. */
export const LIST_SLICES = ["-L"] as const;

/** What a run of `nvidia-smi` printed. */
export interface SmiAnswer {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined if a signal ended it. */
  readonly exitCode: number | undefined;
}

/** How busy a card was a moment ago. The driver does not tell it for every card. */
export interface CardUse {
  /** The share of the time in which a program ran on it, 0 to 1. */
  readonly utilization?: number | undefined;
  /** MiB. */
  readonly memoryUsedMb?: number | undefined;
}

/** A graphics card. */
export interface Card extends CardUse {
  /** The driver's number, which can change at a reboot. */
  readonly index: number;
  readonly uuid: string;
  /** The driver's name of the model, such as `NVIDIA L40S`. */
  readonly name: string;
  /** MiB; undefined if the driver does not tell, as for memory that card and machine share. */
  readonly memoryMb: number | undefined;
  /** MIG is enabled: programs get slices of the card, and never the card. */
  readonly isSliced: boolean;
}

/** A card that no worker may get. The driver may know only one of UUID and index, or none. */
export interface GpuOutOfUse {
  readonly uuid: string | undefined;
  readonly index: number | undefined;
  /** A sentence. */
  readonly reason: string;
}

/** All cards of a machine. */
export interface CardTable {
  readonly cards: readonly Card[];
  readonly outOfUse: readonly GpuOutOfUse[];
  /** Why no card could be read, in a sentence; undefined if they could, or if there is none. */
  readonly fault: string | undefined;
}

/** A part of a card that has memory and cores of its own. */
export interface Slice {
  readonly uuid: string;
  /** The UUID of the card. */
  readonly card: string;
  /** Such as `1g.10gb`. */
  readonly profile: string;
}

/** The slices of all cards of a machine. */
export interface SliceTable {
  readonly slices: readonly Slice[];
  /** Why they could not be read, in a sentence. */
  readonly fault: string | undefined;
}

/**
 * Reads the answer to LIST_CARDS. If one card fails, the program names it on a line of its own, lists the
 * others, and may end with an error. So each line counts, whatever the exit code is.
 */
export function readCards(answer: SmiAnswer): CardTable {
  const lines = linesOf(answer);
  const rows = lines.flatMap((line) => rowOf(line) ?? []);
  const cards = rows.filter((row) => "name" in row);
  const outOfUse = [...rows.filter((row) => "reason" in row), ...lines.flatMap(unreachableIn)];
  const isRead = rows.length + outOfUse.length > 0 || lines.includes(NO_CARDS);
  return { cards, outOfUse, fault: isRead ? undefined : faultOf(answer, lines) };
}

/** Whether the program refused the call because it does not know a field. */
export function isUnknownField(answer: SmiAnswer): boolean {
  return linesOf(answer).some((line) => / is not a valid field to query/.test(line));
}

/** Reads the answer to LIST_SLICES. Slices belong to the card of the last line before them. */
export function readSlices(answer: SmiAnswer): SliceTable {
  const lines = linesOf(answer);
  const slices: Slice[] = [];
  let card: string | undefined;
  for (const line of lines) {
    card = CARD_LINE.exec(line)?.[1] ?? card;
    const [, profile, uuid] = SLICE_LINE.exec(line) ?? [];
    if (profile !== undefined && uuid !== undefined && card !== undefined) {
      slices.push({ uuid, card, profile });
    }
  }
  return { slices, fault: card === undefined ? faultOf(answer, lines) : undefined };
}

/** The UUIDs of all devices in an answer to LIST_SLICES. The slices of a card are there in its place. */
export function devicesListed(answer: SmiAnswer): string[] {
  const { slices } = readSlices(answer);
  const cards = linesOf(answer).flatMap((line) => CARD_LINE.exec(line)?.[1] ?? []);
  return cards.flatMap((card) => {
    const own = slices.filter((slice) => slice.card === card).map(({ uuid }) => uuid);
    return own.length === 0 ? [card] : own;
  });
}

/** The memory that the name of a profile says, in MiB. Programs get a little less of it. */
export function memoryOfProfile(profile: string): number | undefined {
  const [, gigabytes] = /(\d+)gb/.exec(profile) ?? [];
  return gigabytes === undefined ? undefined : Number(gigabytes) * 1_024;
}

const NO_CARDS = "No devices were found";

/**
 * A row starts with the index, or with what stands in its place if the card does not tell it. It ends with
 * the MIG mode, or with how busy the card is.
 */
const ROW = /^(\d+|\[[^\]]+\]|ERR!), ([^,]+), (.+?), ([^,]+), ([^,]+)(?:,([^,]*),([^,]*))?$/;

/** The program puts these in place of a value that the driver does not tell of a card that works. */
const UNTOLD = /^\[?(?:N\/A|Not Supported|Insufficient Permissions)\]?$/;

/** It puts others, such as `[GPU is lost]` and `[Unknown Error]`, in place of a value that must be there. */
const FAULTY = /^(?:\[.+\]|ERR!)$/;

function rowOf(line: string): Card | GpuOutOfUse | undefined {
  const cells = ROW.exec(line)?.slice(1);
  if (cells === undefined) return undefined;
  // A card that works can print anything for how busy it is.
  const [needed, [utilization, used]] = [cells.slice(0, 5), cells.slice(5)];
  const [index = "", uuid = "", name = "", memory = "", mig = ""] = needed;
  const known = {
    index: /^\d+$/.test(index) ? Number(index) : undefined,
    uuid: uuid.startsWith("GPU-") ? uuid : undefined,
  };
  const faulty = needed.find((cell) => FAULTY.test(cell) && !UNTOLD.test(cell));
  if (faulty !== undefined) return { ...known, reason: `nvidia-smi shows ${faulty} for the GPU.` };
  if (known.index === undefined || known.uuid === undefined) {
    return { ...known, reason: "nvidia-smi does not show the index and UUID of the GPU." };
  }
  const use = { utilization: shareOf(utilization), memoryUsedMb: numberIn(used) };
  const memoryMb = numberIn(memory);
  return { index: known.index, uuid: known.uuid, name, memoryMb, isSliced: mig === "Enabled", ...use };
}

/** Undefined if it is not a whole number, such as `[N/A]`. */
function numberIn(cell = ""): number | undefined {
  return /^ ?\d+$/.test(cell) ? Number(cell) : undefined;
}

/** The driver prints per cent. */
function shareOf(cell: string | undefined): number | undefined {
  const percent = numberIn(cell);
  return percent === undefined || percent > 100 ? undefined : percent / 100;
}

/** A card that the driver cannot reach; then come the card and, in most cases, why. */
const UNREACHABLE = /^Unable to determine the device handle for gpu ?(.*)$/i;

/** The card by its index, by its address on the bus, or by both, and why. */
const WHICH = /^(?:(\d+)(?=: |$))?(?:: )?([\da-f]+:[\da-f]+:[\da-f]+\.\d)?:? *(.*)$/i;

function unreachableIn(line: string): GpuOutOfUse[] {
  const which = UNREACHABLE.exec(line)?.[1];
  if (which === undefined) return [];
  const [, index, bus, why = ""] = WHICH.exec(which) ?? [];
  const place = bus === undefined ? "" : ` at ${bus}`;
  const because = why === "" ? "." : `: ${why}`;
  const reason = `The driver cannot reach the GPU${place}${because}`;
  return [{ uuid: undefined, index: index === undefined ? undefined : Number(index), reason }];
}

const CARD_LINE = /^GPU \d+: .+ \(UUID: (GPU-[^)]+)\)$/;
const SLICE_LINE = /^MIG (\S+) +Device +\d+: \(UUID: (MIG-[^)]+)\)$/;

function linesOf({ stdout, stderr }: SmiAnswer): string[] {
  return `${stdout}\n${stderr}`
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function faultOf({ exitCode }: SmiAnswer, [first]: readonly string[]): string {
  const how = exitCode === undefined ? "was killed" : `ended with exit code ${exitCode}`;
  return first === undefined ? `nvidia-smi ${how} without output.` : `nvidia-smi ${how}: ${first}`;
}
