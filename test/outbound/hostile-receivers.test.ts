import { describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { startReceiver } from "../support/receiver.ts";
import { call, testOutbound } from "../support/test-outbound.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const says =
  (...pieces: readonly (string | Buffer)[]) =>
  (socket: Socket): void => {
    for (const piece of pieces) socket.write(piece, "latin1");
  };
const saysAndCloses = (text: string) => (socket: Socket) => void socket.end(text, "latin1");
const saysAndResets = (text: string) => (socket: Socket) => {
  socket.write(text, "latin1", () => socket.resetAndDestroy());
};
const nothing = (): void => undefined;

/** Goes on and on, as fast as it is read. */
function endless(start: string, piece: string): (socket: Socket) => void {
  const block = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)), "latin1");
  return (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on("drain", more);
    socket.write(start, "latin1");
    more();
  };
}

/** One byte after the other, each in a packet of its own. */
function drip(start: string, rest: string, pause = 5): (socket: Socket) => void {
  return (socket) => {
    socket.setNoDelay(true);
    socket.write(start, "latin1");
    const bytes = rest.split("");
    const next = (): void => {
      const byte = bytes.shift();
      if (byte === undefined || socket.destroyed) return;
      socket.write(byte, "latin1");
      setTimeout(next, pause);
    };
    next();
  };
}

const status = (line: string, ...headers: readonly string[]): ((socket: Socket) => void) =>
  saysAndCloses([`HTTP/1.1 ${line}`, ...headers, "Content-Length: 0", "", ""].join("\r\n"));

/** What a receiver does when it has a request, and the status that it has answered with. */
const ANSWERS: readonly (readonly [does: string, answer: (socket: Socket) => void, status: number])[] = [
  ["answers 200", says(OK), 200],
  ["answers 200 without a body", status("200 OK"), 200],
  ["answers 200 and ends the body by closing", saysAndCloses("HTTP/1.1 200 OK\r\n\r\nok"), 200],
  ["answers 200 and closes without the body it promised", saysAndCloses(OK.slice(0, -2)), 200],
  ["answers 200 and closes within the body", saysAndCloses(OK.slice(0, -1)), 200],
  ["answers 200 and resets the connection", saysAndResets(OK.slice(0, -1)), 200],
  ["answers 200 and never sends its body", says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), 200],
  ["answers 200 and keeps the connection", says("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\n"), 200],
  ["answers 200 in HTTP/1.0", saysAndCloses("HTTP/1.0 200 OK\r\n\r\n"), 200],
  ["answers 200 without a reason phrase", saysAndCloses("HTTP/1.1 200\r\n\r\n"), 200],
  ["answers 200 with lines that end in LF", saysAndCloses("HTTP/1.1 200 OK\nContent-Length: 0\n\n"), 200],
  ["answers 201", status("201 Created"), 201],
  ["answers 202", status("202 Accepted"), 202],
  ["answers 204", saysAndCloses("HTTP/1.1 204 No Content\r\n\r\n"), 204],
  ["answers 204 with a body", saysAndCloses("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok"), 204],
  ["answers 299", status("299 Odd"), 299],
  ["answers 304", saysAndCloses("HTTP/1.1 304 Not Modified\r\n\r\n"), 304],
  ["answers 400", status("400 Bad Request"), 400],
  ["answers 401 and asks for a password", status("401 No", 'WWW-Authenticate: Basic realm="x"'), 401],
  ["answers 404", status("404 Not Found"), 404],
  ["answers 407", status("407 No", "Proxy-Authenticate: Basic"), 407],
  ["answers 410", status("410 Gone"), 410],
  ["answers 429", status("429 Too Many Requests", "Retry-After: 3600"), 429],
  ["answers 500", status("500 Oh No"), 500],
  ["answers 503", status("503 Unavailable", "Retry-After: 1"), 503],
  ["answers 999", status("999 What"), 999],
  ["says 100 first", says("HTTP/1.1 100 Continue\r\n\r\n", OK), 200],
  ["says 103 three times first", says("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n".repeat(3) + OK), 200],
  ["says 102 a thousand times first", says("HTTP/1.1 102 Processing\r\n\r\n".repeat(1_000) + OK), 200],
  ["goes over to another protocol", says("HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\n\r\n\x81\x05hello"), 101],
  ["sends its answer byte by byte", drip("", OK), 200],
  ["sends a second answer, for which nobody asked", says(OK + OK.replace("200", "500")), 200],
  [
    "says how long its body is, and chunks it",
    says(OK.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked$&")),
    200,
  ],
  ["says two lengths", says(OK.replace("\r\n\r\n", "\r\nContent-Length: 4$&")), 200],
  ["says a length below zero", saysAndCloses("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), 200],
  [
    "says a length beyond all numbers",
    says(`HTTP/1.1 200 OK\r\nContent-Length: ${"9".repeat(400)}\r\n\r\n`),
    200,
  ],
  ["sends a body without end", endless("HTTP/1.1 200 OK\r\n\r\n", "x"), 200],
  ["sends 10 GB", endless("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", "x"), 200],
  [
    "sends chunks without end",
    endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
    200,
  ],
  ["sends one chunk without end", endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0"), 200],
  ["drips its body", drip("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", "x".repeat(9_999)), 200],
  [
    "sends 200 MB that are zipped to 200 kB",
    says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", gzipSync(Buffer.alloc(200_000_000))),
    200,
  ],
  [
    "zips a hundred times",
    says(`HTTP/1.1 200 OK\r\nContent-Encoding: ${"gzip, ".repeat(99)}gzip\r\nContent-Length: 2\r\n\r\nok`),
    200,
  ],
  ["sends 5,000 headers", says(OK.replace("\r\n\r\n", `${"\r\na: b".repeat(5_000)}$&`)), 200],
  ["sends headers that are none", says(OK.replace("\r\n\r\n", "\r\n\0\xff\r\n: :\r\n folded\r\nx$&")), 200],
];

/** What a receiver does when it has a request, and why that is no answer. */
const FAILURES: readonly (readonly [does: string, answer: (socket: Socket) => void, reason: RegExp])[] = [
  ["closes the connection", (socket) => void socket.end(), /closed the connection without an answer/],
  ["drops the connection", (socket) => void socket.destroy(), /without an answer|before it answered/],
  ["resets the connection", (socket) => void socket.resetAndDestroy(), /before it answered \(ECONNRESET\)/],
  ["closes within the status line", saysAndCloses("HTTP/1.1 20"), /without an answer/],
  [
    "closes within its headers",
    saysAndCloses("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"),
    /without an answer/,
  ],
  ["resets within its headers", saysAndResets("HTTP/1.1 200 OK\r\nContent-"), /before it answered/],
  ["closes after 100", saysAndCloses("HTTP/1.1 100 Continue\r\n\r\n"), /without an answer/],
  ["sends noise", says(Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 7) % 256))), /not HTTP/],
  ["speaks SSH", says("SSH-2.0-OpenSSH_9.9\r\n"), /not HTTP/],
  ["speaks SMTP", says("220 mail.example.com ESMTP\r\n"), /not HTTP/],
  ["speaks Redis", says("-ERR wrong number of arguments\r\n"), /not HTTP/],
  ["speaks ICY", saysAndCloses("ICY 200 OK\r\n\r\n"), /not HTTP/],
  ["speaks HTTP/0.9", saysAndCloses("<html>200 OK</html>"), /not HTTP/],
  ["speaks HTTP/2", says(Buffer.from("00000c04000000000000030000006400040010ffff", "hex")), /not HTTP/],
  ["says HTTP/2 in a line", says("HTTP/2 200 OK\r\n\r\n"), /not HTTP/],
  ["answers with a TLS alert", says(Buffer.from("15030300020246", "hex")), /not HTTP/],
  ["begins with an empty line", says(`\r\n${OK}`), /not HTTP/],
  ["says a status of two digits", says("HTTP/1.1 20 OK\r\n\r\n"), /has no HTTP.* status line/],
  ["says a status of four digits", says("HTTP/1.1 2000 OK\r\n\r\n"), /has no HTTP.* status line/],
  ["says a status in words", says("HTTP/1.1 two hundred\r\n\r\n"), /has no HTTP.* status line/],
  ["says status 000", says("HTTP/1.1 000 OK\r\n\r\n"), /has no HTTP.* status line/],
  [
    "sends 100,000 headers",
    says(OK.replace("\r\n\r\n", `${"\r\na: b".repeat(100_000)}$&`)),
    /longer than 64 kB/,
  ],
  ["sends a header of 1 MB", says(`HTTP/1.1 200 OK\r\na: ${"b".repeat(1e6)}\r\n\r\n`), /longer than 64 kB/],
  ["sends headers without end", endless("HTTP/1.1 200 OK\r\n", "a: b\r\n"), /longer than 64 kB/],
  ["sends a status line without end", endless("HTTP/1.1 200 ", "O"), /longer than 64 kB/],
  ["says 102 without end", endless("", "HTTP/1.1 102 Processing\r\n\r\n"), /longer than 64 kB/],
];

/** What it does without end, and why that is given up. */
const SLOW: readonly (readonly [does: string, answer: (socket: Socket) => void])[] = [
  ["never answers", nothing],
  ["stops within its status line", says("HTTP/1.1 2")],
  ["stops within its headers", says("HTTP/1.1 200 OK\r\nContent-Le")],
  ["says 100 and nothing more", says("HTTP/1.1 100 Continue\r\n\r\n")],
  ["drips its headers", drip("HTTP/1.1 200 OK\r\n", "a: b\r\n".repeat(9_999))],
];

describe("a receiver (threats T2 and T6, tests S15)", () => {
  test.each(ANSWERS)("that %s has answered, and its connection is closed", async (_, answer, status) => {
    await using receiver = await startReceiver({ answer });
    expect(await call(testOutbound(), `http://127.0.0.1:${receiver.port}/`)).toBe(status);
    await receiver.closed();
    expect(receiver.connections).toBe(1);
  });

  test.each(FAILURES)("that %s has not answered, and its connection is closed", async (_, answer, reason) => {
    await using receiver = await startReceiver({ answer });
    expect(await call(testOutbound(), `http://127.0.0.1:${receiver.port}/`)).toMatch(reason);
    await receiver.closed();
    expect(receiver.connections).toBe(1);
  });

  test.each(SLOW)("that %s is given up after the time of the call", async (_, answer) => {
    await using receiver = await startReceiver({ answer });
    const start = performance.now();
    expect(await call(testOutbound(), `http://127.0.0.1:${receiver.port}/`, 300)).toBe(
      "There was no answer within 0.3 s.",
    );
    expect(performance.now() - start).toBeGreaterThanOrEqual(300);
    await receiver.closed();
  });

  test("that has answered is not waited for until the call is over, however slow its body is", async () => {
    await using receiver = await startReceiver({ answer: says("HTTP/1.1 200 OK\r\n\r\nand") });
    // The time of the call is longer than the test may take.
    expect(await call(testOutbound(), `http://127.0.0.1:${receiver.port}/`, 600_000)).toBe(200);
    await receiver.closed();
  });

  test("that closes the connection before it was asked has not answered", async () => {
    await using receiver = await startReceiver({ greet: (socket) => void socket.end() });
    expect(await call(testOutbound(), `http://127.0.0.1:${receiver.port}/`)).toMatch(/closed|broke/);
    await receiver.closed();
  });

  test("that is away has not answered", async () => {
    const receiver = await startReceiver({});
    await receiver.stop();
    expect(await call(testOutbound(), `http://127.0.0.1:${receiver.port}/`)).toBe(
      "The receiver refused the connection.",
    );
  });

  test.each([301, 302, 303, 307, 308])("that redirects with %d is not followed", async (status) => {
    await using other = await startReceiver({ answer: says(OK) });
    for (const location of [`http://127.0.0.1:${other.port}/`, "http://169.254.169.254/", "/elsewhere"]) {
      await using receiver = await startReceiver({
        answer: says(`HTTP/1.1 ${status} Elsewhere\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`),
      });
      expect(await call(testOutbound(), `http://127.0.0.1:${receiver.port}/`)).toBe(status);
      await receiver.closed();
      expect([receiver.connections, other.connections]).toEqual([1, 0]);
    }
  });

  test("that answers a large request without reading it has answered", async () => {
    await using receiver = await startReceiver({ isDeaf: true, greet: says(OK.replace("200", "413")) });
    const outcome = await testOutbound().post({
      url: `http://127.0.0.1:${receiver.port}/`,
      headers: {},
      body: new Uint8Array(20_000_000),
      timeout: 20_000,
    });
    expect(outcome).toEqual({ kind: "answered", status: 413 });
    receiver.hear();
    await receiver.closed();
    expect(receiver.received).toBeLessThan(20_000_000);
  });

  test("that reads nothing of a large request is given up", async () => {
    await using receiver = await startReceiver({ isDeaf: true });
    const outcome = await testOutbound().post({
      url: `http://127.0.0.1:${receiver.port}/`,
      headers: {},
      body: new Uint8Array(20_000_000),
      timeout: 300,
    });
    expect(outcome).toEqual({ kind: "failed", reason: "There was no answer within 0.3 s." });
    receiver.hear();
    await receiver.closed();
    expect(receiver.received).toBeLessThan(20_000_000);
  });

  test("that sends 10 GB gets rid of a few MB, which is what buffers of the system hold", async () => {
    await using receiver = await startReceiver({ answer: endless("HTTP/1.1 200 OK\r\n\r\n", "x") });
    expect(await call(testOutbound(), `http://127.0.0.1:${receiver.port}/`)).toBe(200);
    await receiver.closed();
    expect(receiver.sent).toBeLessThan(16_000_000);
  });

  test("that hangs delays no other: 100 of them, and a good one", async () => {
    await using hanging = await startReceiver({ answer: nothing });
    await using good = await startReceiver({ answer: says(OK) });
    const outbound = testOutbound();
    const hung = Array.from({ length: 100 }, () =>
      call(outbound, `http://127.0.0.1:${hanging.port}/`, 3_000),
    );
    expect(await Promise.race([call(outbound, `http://127.0.0.1:${good.port}/`), ...hung])).toBe(200);
    expect(new Set(await Promise.all(hung))).toEqual(new Set(["There was no answer within 3 s."]));
  });
});
