import { join } from "node:path";
import type { Contestant } from "./contestant.ts";
import { freePort } from "./bullmq.ts";
import { MeasuredProcess } from "./measured-process.ts";

/** The same requests, answered by the bare runtime: what one request costs before anything is done for it. */
export const ECHO: Contestant = {
  name: "bare HTTP echo (one request)",
  async start() {
    const port = await freePort();
    const server = new MeasuredProcess([
      process.execPath,
      join(import.meta.dir, "peers/echo.ts"),
      String(port),
    ]);
    await server.line("ready");
    return {
      port,
      path: "/run",
      key: "none",
      processes: [server],
      done: async () => undefined,
      clean: async () => undefined,
    };
  },
};
