import net from "node:net";

/**
 * A proxy for HTTPS on a Unix socket. Package managers reach their registries through it from a page's own
 * network.
 */
export function startGateway(path: string): Promise<net.Server> {
  const server = net.createServer((inside) => {
    inside.on("error", () => inside.destroy());
    inside.once("data", (head) => connect(inside, head.toString("latin1")));
  });
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

function connect(inside: net.Socket, head: string): void {
  const [, host, port] = /^CONNECT ([\w.-]+):(\d+) /.exec(head) ?? [];
  if (host === undefined || port === undefined) {
    inside.end("HTTP/1.1 405 Method Not Allowed\r\n\r\n");
    return;
  }
  const outside = net.connect(Number(port), host, () => {
    inside.write("HTTP/1.1 200 Connection established\r\n\r\n");
    inside.pipe(outside).pipe(inside);
  });
  outside.on("error", () => inside.destroy());
  inside.on("close", () => outside.destroy());
}
