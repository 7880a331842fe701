import { join } from "node:path";
import { startForebayUnderTest } from "../forebay-server.ts";
import { MeasuredProcess } from "../measured-process.ts";
import { type Case, figureGoal, type Figures, type Scale, type Workload } from "../workload.ts";

const script = join(import.meta.dir, "../load/start-latency.mjs");
const nameOf = (runtime: string, protocol: string): string => `worker on ${runtime}, ${protocol} protocol`;
const PUBLIC = nameOf("Bun", "public");
const EXCHANGE = nameOf("Bun", "exchange");

/** W3: from the submission of a job until the handler of an idle worker begins. */
export const HANDLER_START: Workload = {
  id: "handler-start",
  title: "W3: from the submission until the handler begins",
  about:
    "Jobs one at a time, with pauses, to a worker of our library that is idle. Client and worker share one " +
    "process, so one clock measures both ends.",
  rounds: 3,
  minutes: 4,
  columns: [
    { key: "p50", title: "p50, ms", digits: 2 },
    { key: "p99", title: "p99, ms", digits: 2 },
    { key: "coldP50", title: "cold: p50 of the first 20, ms", digits: 2 },
  ],
  goals: [PUBLIC, EXCHANGE].flatMap((row) => [
    figureGoal({
      what: `W3 submission to handler start, ${row}: p50, ms`,
      row,
      key: "p50",
      must: { most: 1.5 },
      aim: { most: 1 },
      digits: 2,
    }),
    figureGoal({
      what: `W3 submission to handler start, ${row}: p99, ms`,
      row,
      key: "p99",
      aim: { most: 4 },
      digits: 2,
    }),
  ]),
  async cases(scale) {
    return (["Bun", "Node"] as const).flatMap((runtime) =>
      (["exchange", "public"] as const).map((protocol): Case => {
        const name = nameOf(runtime, protocol);
        return {
          name,
          measure: async () => [{ name, figures: await measure(runtime, protocol, scale) }],
        };
      }),
    );
  },
};

async function measure(runtime: "Bun" | "Node", protocol: string, scale: Scale): Promise<Figures> {
  const { server, port, endpoint, key, workerEnv, clean } = await startForebayUnderTest(scale.build);
  const url = `http://127.0.0.1:${port}/v2/${endpoint}/run`;
  const program = runtime === "Bun" ? process.execPath : "node";
  const counts = [scale.warmUp, scale.isQuick ? 20 : 600].map(String);
  const env = { ...workerEnv, FOREBAY_PROTOCOL: protocol };
  const load = new MeasuredProcess([program, script, url, key, ...counts], env);
  try {
    return JSON.parse(await load.line("p50", 600_000));
  } finally {
    await Promise.all([load.stop(), server.stop()]);
    await clean();
  }
}
