// A small client of beanstalkd: commands on one connection, answered in their order.
import { connect } from "node:net";

/** Waits until the server listens. */
export async function openBeanstalkd(port) {
  for (let tries = 100; ; tries--) {
    try {
      return await openOnce(port);
    } catch (error) {
      if (error.code !== "ECONNREFUSED" || tries === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function openOnce(port) {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  const waiting = [];
  let received = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    for (;;) {
      const end = received.indexOf("\r\n");
      if (end < 0) return;
      const words = received.toString("latin1", 0, end).split(" ");
      // A reserved job has a body behind its line.
      const size = words[0] === "RESERVED" ? Number(words[2]) + 2 : 0;
      if (received.length < end + 2 + size) return;
      const body = received.subarray(end + 2, end + 2 + size);
      received = received.subarray(end + 2 + size);
      waiting.shift()(words, body);
    }
  });
  const ask = (command, body) =>
    new Promise((resolve) => {
      waiting.push((words) => resolve(words));
      socket.write(body === undefined ? `${command}\r\n` : `${command}\r\n${body}\r\n`);
    });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => resolve(ask));
  });
}
