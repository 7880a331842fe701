import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { OutboundOutcome } from "../../src/outbound/outbound.ts";
import { parseReceiver, ReceiverFault } from "../../src/outbound/receiver.ts";
import { requestHead } from "../../src/outbound/request-head.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { startReceiver } from "../support/receiver.ts";
import { testOutbound } from "../support/test-outbound.ts";

const ONE_REQUEST = /^POST [\x21-\x7e]+ HTTP\/1\.1\r\nHost: [\x21-\x7e]+\r\n(?:[^\r\n\0]+\r\n)+\r\n$/;

describe("what a receiver gets", () => {
  test("is a POST with the headers and the body given, over a connection of its own", async () => {
    await using names = await startDnsServer((_, type) => ({ addresses: type === "A" ? ["127.0.0.1"] : [] }));
    const { request, outcome, port } = await sent((port) => ({
      url: `http://Hook.test:${port}/a%20b/ü?x=1&y=%00 z#fragment`,
      headers: { "Content-Type": "application/json", "webhook-id": "é1" },
      names,
    }));
    expect(outcome).toEqual({ kind: "answered", status: 200 });
    expect(request.split("\r\n")).toEqual([
      "POST /a%20b/%C3%BC?x=1&y=%00%20z HTTP/1.1",
      `Host: hook.test:${port}`,
      "User-Agent: forebay/1.2.3",
      "Content-Type: application/json",
      "webhook-id: é1",
      "Accept-Encoding: identity",
      "Content-Length: 6",
      "Connection: close",
      "",
      '{"a":1',
    ]);
  });

  test("has user and password of the URL as Basic, unless an Authorization is given", async () => {
    const basic = await sent((port) => ({ url: `http://us%65r:p%C3%A4ss%3A%00%@127.0.0.1:${port}` }));
    expect(basic.request).toContain(
      `\r\nAuthorization: Basic ${Buffer.from("user:päss:\0%").toString("base64")}\r\n`,
    );
    expect(basic.request).not.toContain("p%C3%A4ss");
    const given = await sent((port) => ({
      url: `http://user:pass@127.0.0.1:${port}`,
      headers: { authorization: "Bearer x" },
    }));
    expect(given.request.match(/^authorization: .*$/gim)).toEqual(["authorization: Bearer x"]);
  });

  test("has the usual port left out of Host, and an address in brackets", () => {
    const hostOf = (url: string): string => parseReceiver(url).authority;
    expect(hostOf("http://example.com:80/")).toBe("example.com");
    expect(hostOf("https://example.com:443/")).toBe("example.com");
    expect(hostOf("https://example.com:80/")).toBe("example.com:80");
    expect(hostOf("http://[2606:4700::1]:8080/")).toBe("[2606:4700::1]:8080");
    expect(hostOf("https://münchen.example/")).toBe("xn--mnchen-3ya.example");
  });

  test("is nothing when a header is not the caller's to set, or is none", async () => {
    const headers: readonly (readonly [string, string])[] = [
      ...[
        "Host",
        "content-length",
        "Transfer-Encoding",
        "CONNECTION",
        "te",
        "Trailer",
        "upgrade",
        "expect",
      ].map((name) => [name, "x"] as const),
      ...[
        "user-agent",
        "accept-encoding",
        "proxy-authorization",
        "keep-alive",
        "",
        "a b",
        "a:",
        "a\r\nb",
        "ä",
      ].map((name) => [name, "x"] as const),
      ...["a\r\nb: c", "a\nb", "a\rb", "a\0b", "a\u0100", "\u007f", "\u2028", "😀"].map(
        (value) => ["x-own", value] as const,
      ),
    ];
    for (const [name, value] of headers) {
      const { outcome, connections } = await sent((port) => ({
        url: `http://127.0.0.1:${port}/`,
        headers: { [name]: value },
      }));
      expect([name, value, outcome.kind, connections]).toEqual([name, value, "failed", 0]);
    }
  });

  test("is one request with the lines of one, whatever URL and headers there are", () => {
    const hostile = fc.string({
      unit: fc.constantFrom(..."\r\n\0\t :/?#@[]%\\\u0085\u2028\u010a\u010dHTTP/1.1é😀a0".split("")),
      maxLength: 40,
    });
    const near = hostile.map((text) => `http://example.com/${text}`);
    const inUser = hostile.map((text) => `http://${text}@example.com/`);
    const inHost = hostile.map((text) => `http://${text}/`);
    fc.assert(
      fc.property(fc.oneof(near, inUser, inHost, fc.webUrl()), hostile, hostile, (url, name, value) => {
        const head = headOf(url, { [name]: value }) ?? headOf(url, {});
        return head === undefined || (ONE_REQUEST.test(head) && head.split("\r\n").length <= 10);
      }),
      { numRuns: 10_000 },
    );
  });

  test("never has its password in a reason", async () => {
    for (const url of [
      "http://u:canary@10.0.0.1/",
      "http://u:canary@127.0.0.1:1/",
      "ftp://u:canary@x/",
      "u:canary",
    ]) {
      const outbound = testOutbound({ allow: "" });
      expect(outbound.refusal(url)).not.toContain("canary");
      const outcome = await outbound.post({ url, headers: {}, body: new Uint8Array(), timeout: 5_000 });
      expect(JSON.stringify(outcome)).not.toContain("canary");
    }
  });

  test("is a large body as it was given, and a cookie that was set is not sent again", async () => {
    const body = crypto.getRandomValues(new Uint8Array(60_000));
    await using receiver = await startReceiver({
      answer: (socket) => void socket.end("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n\r\n"),
    });
    const url = `http://127.0.0.1:${receiver.port}/`;
    const outbound = testOutbound();
    for (let round = 0; round < 2; round += 1)
      await outbound.post({ url, headers: {}, body, timeout: 20_000 });
    expect(receiver.requests).toHaveLength(2);
    for (const request of receiver.requests) {
      expect(request).not.toMatch(/cookie/i);
      expect(request.slice(request.indexOf("\r\n\r\n") + 4)).toBe(Buffer.from(body).toString("latin1"));
    }
    expect(receiver.connections).toBe(2);
  });
});

interface Sent {
  readonly request: string;
  readonly connections: number;
  readonly outcome: OutboundOutcome;
  readonly port: number;
}

async function sent(
  make: (port: number) => {
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly names?: DnsServer;
  },
): Promise<Sent> {
  await using receiver = await startReceiver({
    answer: (socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\n"),
  });
  const { url, headers = {}, names } = make(receiver.port);
  const outbound = testOutbound(names === undefined ? {} : { names });
  const body = new TextEncoder().encode('{"a":1');
  const outcome = await outbound.post({ url, headers, body, timeout: 20_000 });
  const { connections, port } = receiver;
  return { request: receiver.requests[0] ?? "", connections, outcome, port };
}

function headOf(url: string, headers: Readonly<Record<string, string>>): string | undefined {
  try {
    return requestHead(parseReceiver(url), headers, 0, "forebay/1.2.3");
  } catch (error) {
    if (error instanceof ReceiverFault) return undefined;
    throw error;
  }
}
