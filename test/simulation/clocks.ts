import type { Clock } from "../../src/domain/clock.ts";
import type { Agenda, Process } from "./agenda.ts";

/** The clock of a machine: it runs from `startsAt` on, `drift` parts of a thousand too fast. */
export function machineClock(agenda: Agenda, process: Process, startsAt: number, drift: number): Clock {
  const origin = agenda.now;
  const pace = 1 + drift / 1_000;
  return {
    now: () => startsAt + Math.floor((agenda.now - origin) * pace),
    after: (ms, action) => agenda.after(ms / pace, process, "timer", action),
  };
}
