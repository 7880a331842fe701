import type { WorkerAmounts as Amounts } from "../domain/worker.ts";

type Kind = keyof Amounts;

/** How each amount is named after a number. */
const UNITS: Readonly<Record<Kind, string>> = {
  cores: "cores",
  memoryMb: "MB of memory",
};

const KINDS: readonly Kind[] = ["cores", "memoryMb"];

/** Sums of fractions of cores are this exact. */
const ROUNDING = 1e-6;

/**
 * Which amount is too small for one more worker, as a clause after the name of the host; undefined if none
 * is.
 */
export function lackingAmount(host: Amounts, taken: readonly Amounts[], needed: Amounts): string | undefined {
  for (const kind of KINDS) {
    const [capacity, need] = [host[kind], needed[kind]];
    if (capacity === undefined || need === undefined) continue;
    const free = capacity - sumOf(kind, taken);
    if (need > free + ROUNDING) return `has ${shown(free)} of ${shown(capacity)} ${UNITS[kind]} free`;
  }
  return undefined;
}

/** Which share of the host is free, 0 to 1: that of the amount of which the smallest share is. */
export function freeShare(host: Amounts, taken: readonly Amounts[]): number {
  const shares = KINDS.flatMap((kind) => {
    const capacity = host[kind];
    return capacity === undefined || capacity <= 0 ? [] : [1 - sumOf(kind, taken) / capacity];
  });
  return Math.max(0, Math.min(1, ...shares));
}

/** Each amount that is there, such as `4 cores`. */
export function amountsShown(amounts: Amounts): string[] {
  return KINDS.flatMap((kind) => {
    const amount = amounts[kind];
    if (amount === undefined) return [];
    return [kind === "cores" && amount === 1 ? "1 core" : `${shown(amount)} ${UNITS[kind]}`];
  });
}

function sumOf(kind: Kind, amounts: readonly Amounts[]): number {
  return amounts.reduce((sum, one) => sum + (one[kind] ?? 0), 0);
}

function shown(amount: number): string {
  return String(Math.round(Math.max(0, amount) * 1_000) / 1_000);
}
