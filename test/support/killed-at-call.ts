import { spawn } from "node:child_process";
import { join } from "node:path";

const MAIN = join(import.meta.dir, "../../src/cli/main.ts");

/**
 * Runs a command that calls a server, and kills it with -9 once its call of that number, counted from 0, has
 * been answered by the server and before it learns of that. False: it made fewer calls, and has ended.
 */
export async function killedAtCall(
  args: readonly string[],
  { url, key }: { readonly url: string; readonly key: string },
  number: number,
): Promise<boolean> {
  let calls = 0;
  const proxy = Bun.serve({
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const isLast = calls++ === number;
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" ? null : await request.arrayBuffer();
      const answer = await fetch(`${url}${pathname}${search}`, { method, headers, body, decompress: false });
      if (isLast) child.kill("SIGKILL");
      return answer;
    },
  });
  const env = { ...process.env, FOREBAY_URL: proxy.url.origin, FOREBAY_KEY: key };
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: "ignore" });
  try {
    const signal = await new Promise((resolve) => child.on("close", (_, by) => resolve(by)));
    return signal === "SIGKILL";
  } finally {
    await proxy.stop(true);
  }
}
