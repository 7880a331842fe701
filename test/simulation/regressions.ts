import type { Plan } from "./plan.ts";

export interface Regression {
  /** What was wrong. */
  readonly sentence: string;
  readonly plan: Plan;
}

/** Plans that found a fault. A run that fails prints its plan, so that it can stand here. */
export const REGRESSIONS: readonly Regression[] = [
  {
    sentence: "a retry by a server whose clock is behind put the job before its last run",
    plan: {
      seed: 3,
      servers: 2,
      items: [
        { at: 5786, fault: "clock step", by: -60000 },
        {
          at: 6187,
          what: "run",
          endpoint: 1,
          work: { tag: "t196", ms: 698, chunks: 0, progress: false, fails: false, stops: false, size: 37 },
          hasKey: false,
          hasWebhook: true,
          wait: 3405,
          size: 0,
        },
        { at: 6221, what: "cancel", place: 0.751141811 },
        {
          at: 6433,
          what: "runsync",
          endpoint: 1,
          work: { tag: "t2", ms: 260, chunks: 0, progress: false, fails: false, stops: false, size: 15 },
          hasKey: true,
          hasWebhook: false,
          wait: 4468,
          size: 0,
        },
        { at: 8441, what: "status", place: 0.929042056 },
        { at: 8453, what: "status", place: 0.905181184 },
        { at: 8529, what: "cancel", place: 0.997700032 },
        { at: 8560, what: "cancel", place: 0.737856 },
        { at: 8755, what: "requests", endpoint: 1 },
        {
          at: 8798,
          what: "run",
          endpoint: 1,
          work: { tag: "t41", ms: 12, chunks: 0, progress: false, fails: true, stops: false, size: 10 },
          hasKey: false,
          hasWebhook: false,
          executionTimeout: 8365,
          wait: 5016,
          size: 0,
        },
        { at: 20343, what: "retry", place: 0.998774957 },
      ],
    },
  },
];
