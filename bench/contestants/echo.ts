import { join } from "node:path";
import { freePort } from "../../test/support/free-port.ts";
import type { Contestant } from "../contestant.ts";
import { MeasuredProcess } from "../measured-process.ts";

/** The same requests, answered by the runtime alone: the floor for any server on it. */
export const ECHO: Contestant = {
  name: "bare HTTP echo (one request for each job)",
  isPeer: true,
  async start() {
    const { server, port } = await startEcho();
    return {
      target: { ports: [port], path: "/run", key: "none" },
      servers: [server],
      stores: [],
      workers: [],
      ran: async () => undefined,
      clean: async () => undefined,
    };
  },
};

/** A server that reads each body; it answers POST /echo with the same body, and all others in a few words. */
export async function startEcho(): Promise<{ server: MeasuredProcess; port: number }> {
  const port = await freePort();
  const script = join(import.meta.dir, "../peers/echo.ts");
  const server = new MeasuredProcess([process.execPath, script, String(port)]);
  await server.line("ready");
  return { server, port };
}
