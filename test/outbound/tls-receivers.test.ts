import { describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { makeCertificate } from "../support/certificate.ts";
import { startDnsServer } from "../support/dns-server.ts";
import { startReceiver } from "../support/receiver.ts";
import { call, testOutbound } from "../support/test-outbound.ts";

const DAY = 86_400_000;
const at = (days: number): Date => new Date(Date.now() + days * DAY);

const root = makeCertificate({ subject: "Root", isAuthority: true });
const issuer = { name: "Root", key: root.key };
const stranger = makeCertificate({ subject: "Stranger", isAuthority: true });

const valid = makeCertificate({ subject: "hook.test", names: ["hook.test"], issuer });

/** Certificates that are valid for `https://hook.test`. */
const GOOD: readonly (readonly [what: string, tls: TlsOptions])[] = [
  ["a certificate for its name", valid],
  ["a certificate for its name in capitals", makeCertificate({ subject: "x", names: ["HOOK.test"], issuer })],
  ["a certificate for more names", makeCertificate({ subject: "x", names: ["a.test", "hook.test"], issuer })],
  ["only TLS 1.2", { ...valid, maxVersion: "TLSv1.2" }],
  ["only TLS 1.3", { ...valid, minVersion: "TLSv1.3" }],
];

/** Certificates that are not. */
const BAD: readonly (readonly [what: string, tls: TlsOptions, reason: RegExp])[] = [
  [
    "signed itself",
    makeCertificate({ subject: "hook.test", names: ["hook.test"] }),
    /SELF_SIGNED|UNABLE_TO_/,
  ],
  [
    "has one of an unknown authority",
    makeCertificate({ subject: "x", names: ["hook.test"], issuer: { name: "Stranger", key: stranger.key } }),
    /UNABLE_TO_/,
  ],
  [
    "has one whose authority did not sign it",
    makeCertificate({ subject: "x", names: ["hook.test"], issuer: { name: "Root", key: stranger.key } }),
    /SIGNATURE|UNABLE_TO_/,
  ],
  [
    "has one that has expired",
    makeCertificate({ subject: "x", names: ["hook.test"], issuer, notBefore: at(-9), notAfter: at(-1) }),
    /EXPIRED/,
  ],
  [
    "has one that is not valid yet",
    makeCertificate({ subject: "x", names: ["hook.test"], issuer, notBefore: at(1), notAfter: at(9) }),
    /NOT_YET_VALID/,
  ],
  ["has one for another name", makeCertificate({ subject: "x", names: ["other.test"], issuer }), /ALTNAME/],
  ["has one for names below", makeCertificate({ subject: "x", names: ["*.hook.test"], issuer }), /ALTNAME/],
  ["has one for its address", makeCertificate({ subject: "x", addresses: ["127.0.0.1"], issuer }), /ALTNAME/],
  [
    "has one with a NUL in its name",
    makeCertificate({ subject: "x", names: ["hook.test\0.evil.test"], issuer }),
    /ALTNAME/,
  ],
  ["has one that is no certificate for servers' names", makeCertificate({ subject: "x", issuer }), /ALTNAME/],
  [
    "demands one of ours",
    { ...valid, ca: root.cert, requestCert: true, rejectUnauthorized: true },
    /TLS|closed|broke/,
  ],
  ["speaks only TLS 1.1", { ...valid, minVersion: "TLSv1", maxVersion: "TLSv1.1" }, /TLS connection/],
];

/** What a receiver does that is asked for TLS and has none. */
const PLAIN: readonly (readonly [does: string, greet: (socket: Socket) => void, reason: RegExp])[] = [
  [
    "answers in plain text",
    (socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\n")),
    /TLS connection to the receiver failed/,
  ],
  ["sends noise", (socket) => socket.end(Buffer.from("16030300ffffffffffff", "hex")), /TLS|closed/],
  ["closes in the handshake", (socket) => socket.once("data", () => socket.end()), /TLS|closed/],
  ["resets in the handshake", (socket) => socket.once("data", () => socket.resetAndDestroy()), /TLS|closed/],
  ["says nothing in the handshake", () => undefined, /in time|no answer within/],
];

const answer = (socket: Socket): void => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

describe("a receiver with TLS (threat T12: it is always verified)", () => {
  test.each(GOOD)("that has %s is called", async (_, tls) => {
    await using receiver = await startReceiver({ tls, answer });
    expect(await callByName(receiver.port)).toBe(200);
    await receiver.closed();
  });

  test.each(BAD)("that %s gets no request, and the reason says so", async (_, tls, reason) => {
    await using receiver = await startReceiver({ tls, answer });
    expect(await callByName(receiver.port)).toMatch(reason);
    await receiver.closed();
    expect(receiver.requests).toEqual([]);
  });

  test.each(PLAIN)("that %s instead gets no request", async (_, greet, reason) => {
    await using receiver = await startReceiver({ greet });
    expect(await callByName(receiver.port, 1_000)).toMatch(reason);
    await receiver.closed();
    expect(receiver.requests).toEqual([]);
  });

  test("is called at its next address when one takes the connection and says nothing", async () => {
    await using names = await startDnsServer((_, type) => ({
      addresses: type === "A" ? ["127.0.0.3", "127.0.0.2"] : [],
    }));
    await using good = await startReceiver({ tls: valid, answer, host: "127.0.0.2" });
    await using silent = await startReceiver({ host: "127.0.0.3", port: good.port });
    const outbound = testOutbound({ names, authorities: [root.cert] });
    expect(await call(outbound, `https://hook.test:${good.port}/`, 4_000)).toBe(200);
    await silent.closed();
    expect([silent.connections, good.requests.length]).toEqual([1, 1]);
  });

  test("is called by its address only with a certificate for the address", async () => {
    const outbound = testOutbound({ authorities: [root.cert] });
    const forAddress = makeCertificate({ subject: "x", addresses: ["127.0.0.1"], issuer });
    await using good = await startReceiver({ tls: forAddress, answer });
    await using bad = await startReceiver({ tls: valid, answer });
    expect(await call(outbound, `https://127.0.0.1:${good.port}/`)).toBe(200);
    expect(await call(outbound, `https://127.0.0.1:${bad.port}/`)).toMatch(/ALTNAME/);
    expect(bad.requests).toEqual([]);
  });

  test("gets the name that it is called by, without the dot at its end, and no address", async () => {
    const names: unknown[] = [];
    const SNICallback: NonNullable<TlsOptions["SNICallback"]> = (name, done) => {
      names.push(name);
      done(null);
    };
    await using receiver = await startReceiver({ tls: { ...valid, SNICallback }, answer });
    expect(await callByName(receiver.port, 20_000, "HOOK.test.")).toBe(200);
    await call(testOutbound(), `https://127.0.0.1:${receiver.port}/`);
    expect(names).toEqual(["hook.test"]);
  });

  test("gets no request where its authority is not on the list", async () => {
    await using names = await startDnsServer((_, type) => ({ addresses: type === "A" ? ["127.0.0.1"] : [] }));
    await using receiver = await startReceiver({ tls: valid, answer });
    expect(await call(testOutbound({ names }), `https://hook.test:${receiver.port}/`)).toMatch(/TLS/);
    expect(receiver.requests).toEqual([]);
  });
});

async function callByName(port: number, timeout = 20_000, name = "hook.test"): Promise<number | string> {
  await using names = await startDnsServer((_, type) => ({ addresses: type === "A" ? ["127.0.0.1"] : [] }));
  return await call(testOutbound({ names, authorities: [root.cert] }), `https://${name}:${port}/`, timeout);
}
