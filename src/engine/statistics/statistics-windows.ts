import type { Clock } from "../../domain/clock.ts";
import { addFigures, emptyFigures, type Figures } from "../../domain/figures.ts";
import {
  firstSlot,
  SLOT_WIDTHS,
  slotAt,
  type SlotWidth,
  type StatisticsSlot,
} from "../../domain/statistics.ts";

/**
 * A cache of the slots of endpoints that clients look at. Slots that no server adds to any more are read
 * once.
 */
export interface StatisticsWindows {
  /** The figures of each slot from `from` on that has some, the oldest first. */
  read(endpoint: string, width: SlotWidth, from: number): Promise<ReadonlyMap<number, Figures>>;
  /** These slots have changed. */
  written(slots: readonly StatisticsSlot[]): void;
  /** Forgets endpoints that no client has looked at for a while. */
  tidy(): void;
}

export interface WindowSources {
  /** What all servers have stored. */
  readonly stored: (endpoint: string, width: SlotWidth, from: number) => Promise<readonly StatisticsSlot[]>;
  /** What this server has not stored yet. It is read with no other work in between. */
  readonly unwritten: (endpoint: string) => readonly StatisticsSlot[];
}

/** After this time, all servers have stored what they counted, ms. */
const SETTLED_AFTER = 20_000;

/** After this time, slots that were stored late are seen, ms. */
const READ_AGAIN_AFTER = 300_000;

/** After this time without a look, an endpoint is forgotten, ms. */
const UNUSED_AFTER = 60_000;

interface Window {
  readonly settled: Map<number, Figures>;
  /** All slots before this time are in `settled`. */
  settledTo: number;
  readonly readAt: number;
  usedAt: number;
}

export function statisticsWindows(clock: Clock, { stored, unwritten }: WindowSources): StatisticsWindows {
  const windows = new Map<string, Window>();

  async function windowOf(endpoint: string, width: SlotWidth): Promise<ReadonlyMap<number, Figures>> {
    const now = clock.now();
    const key = keyOf(endpoint, width);
    const first = firstSlot(now, lengthOf(width), width);
    const window = windows.get(key) ?? { settled: new Map(), settledTo: first, readAt: now, usedAt: now };
    const slots = await stored(endpoint, width, Math.max(first, window.settledTo));
    const recent = new Map<number, Figures>();
    for (const { at, figures } of slots) addFigures(entry(recent, at), figures);
    settle(window, recent, slotAt(now - SETTLED_AFTER, width), first);
    window.usedAt = now;
    windows.set(key, window);
    for (const slot of unwritten(endpoint)) {
      if (slot.width !== width || slot.at < first) continue;
      const known = recent.get(slot.at) ?? window.settled.get(slot.at);
      const sum = emptyFigures();
      if (known !== undefined) addFigures(sum, known);
      addFigures(sum, slot.figures);
      recent.set(slot.at, sum);
    }
    return new Map([...window.settled, ...recent]);
  }

  return {
    async read(endpoint, width, from) {
      const all = await windowOf(endpoint, width);
      return new Map([...all].filter(([at]) => at >= from).sort(([one], [other]) => one - other));
    },

    written(slots) {
      for (const { endpoint, width, at } of slots) {
        const key = keyOf(endpoint, width);
        if (at < (windows.get(key)?.settledTo ?? 0)) windows.delete(key);
      }
    },

    tidy() {
      const now = clock.now();
      for (const [key, { readAt, usedAt }] of windows) {
        if (usedAt < now - UNUSED_AFTER || readAt < now - READ_AGAIN_AFTER) windows.delete(key);
      }
    },
  };
}

/** Moves slots that are complete, and removes those that are too old. */
function settle(window: Window, recent: Map<number, Figures>, until: number, first: number): void {
  for (const [at, figures] of recent) {
    if (at >= until) continue;
    window.settled.set(at, figures);
    recent.delete(at);
  }
  for (const at of window.settled.keys()) if (at < first) window.settled.delete(at);
  window.settledTo = Math.max(window.settledTo, until);
}

function lengthOf(width: SlotWidth): number {
  return SLOT_WIDTHS.find((one) => one.width === width)?.keptFor ?? 0;
}

function keyOf(endpoint: string, width: SlotWidth): string {
  return `${endpoint}/${width}`;
}

function entry(all: Map<number, Figures>, at: number): Figures {
  const figures = all.get(at) ?? emptyFigures();
  all.set(at, figures);
  return figures;
}
