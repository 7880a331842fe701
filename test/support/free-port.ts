import { createServer } from "node:net";

/** Below the ports from which the system takes those of clients. */
const LEAST = 20_000;
const MOST = 32_000;

/**
 * A port for a server that comes back to it. One that the system chooses would not do: while the server is
 * away, one of the many clients that try to reach it would be given that very port, and keep it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LEAST + Math.floor(Math.random() * (MOST - LEAST));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
