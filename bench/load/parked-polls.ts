// Parks polls of the public protocol, each on a connection of its own: `PORT ENDPOINT TOKEN COUNT`. It begins
// at the first line on its standard input and prints `parked` when all requests are sent. An answer with a
// job is a fault.
import { once } from "node:events";
import { fail } from "./raw-http.ts";

const [port = "", endpoint = "", token = "", count = ""] = process.argv.slice(2);
await once(process.stdin, "data");
for (let worker = 0; worker < Number(count); worker++) {
  const request =
    `GET /v2/${endpoint}/job-take/w${worker}?gpu=x&job_in_progress=0 HTTP/1.1\r\n` +
    `Host: bench\r\nAuthorization: ${token}\r\n\r\n`;
  await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(port),
    socket: {
      open: (socket) => void socket.write(request),
      data(_, answer) {
        // Only an answer without a job is right, after the server has held the poll for its full time.
        if (!answer.toString("latin1", 0, 12).endsWith(" 204")) fail(answer.toString());
      },
      close: () => fail("the server closed the connection of a parked poll"),
    },
  });
}
console.log("parked");
