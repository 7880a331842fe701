import { createServer } from "node:net";
import type { Config } from "../config/config.ts";
import { errorCode } from "../domain/errors.ts";
import { fault, type Finding, ok } from "./finding.ts";
import { forebayVersion } from "./ask-server.ts";

const PART = "port";

/** Checks whether the server can listen on its port, or already does. */
export async function checkPort({ host, port }: Config): Promise<Finding[]> {
  if (port === 0) return [ok(PART, "a free port is chosen at the start")];
  const where = `port ${port} of ${host}`;
  const code = await listenCode(host, port);
  if (code === "") return [ok(PART, `${where} is free`)];
  if (code === "EADDRINUSE") {
    const version = await forebayVersion(`http://${host.includes(":") ? `[${host}]` : host}:${port}`);
    if (version !== undefined) return [ok(PART, `Forebay ${version} answers at ${where}`)];
    return [
      fault(PART, `${where} is in use by another program`, "Stop it, or choose another port with --port."),
    ];
  }
  if (code === "EACCES") {
    const mend = "Choose a port above 1023 with --port, or allow the program (CAP_NET_BIND_SERVICE).";
    return [fault(PART, `the server is not allowed to listen on ${where}`, mend)];
  }
  return [
    fault(
      PART,
      `the server cannot listen on ${where} (${code})`,
      "Name an address of this machine with --host.",
    ),
  ];
}

/** Listens for a moment and answers nobody. The code of the error; empty if there is none. */
function listenCode(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.on("error", (error) => resolve(errorCode(error) || "unknown"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve("")));
  });
}
