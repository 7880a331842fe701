// Runs in the network of a page: port 3128 leads to the gateway outside, a Unix socket (gateway.ts).
import net from "node:net";

const server = net.createServer((inside) => {
  const outside = net.connect(process.argv[2]);
  inside.pipe(outside).pipe(inside);
  inside.on("error", () => outside.destroy());
  outside.on("error", () => inside.destroy());
});
server.listen(3128, "127.0.0.1", () => process.stdout.write("ready\n"));
