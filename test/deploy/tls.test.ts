import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import http2 from "node:http2";
import { join } from "node:path";
import { CONFIG_ROWS } from "../../src/config/rows.ts";
import { freePort } from "../support/free-port.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY, TestClient } from "../support/test-client.ts";
import { CADDY_TLS, HAPROXY_TLS, NGINX_TLS, startTlsProxy, type TlsProxy } from "../support/tls-proxy.ts";
import { until } from "../support/until.ts";

// fetch of the tests trusts no authority of their own; one test checks the certificate.
process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";

/** Calls the server through its proxy. */
class SecureClient extends TestClient {
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
  }
}

describe.each([
  ["nginx", NGINX_TLS],
  ["HAProxy", HAPROXY_TLS],
  ["Caddy", CADDY_TLS],
])("TLS by %s as in deploy/tls", (_, program) => {
  const end = new AsyncDisposableStack();
  let server: ServerProcess;
  let proxy: TlsProxy;
  let plain: string;
  let client: SecureClient;
  let endpoint: string;

  beforeAll(async () => {
    const [plainPort, port] = [await freePort(), await freePort()];
    plain = `http://localhost:${plainPort}`;
    client = new SecureClient(`https://localhost:${port}`);
    server = end.adopt(await ServerProcess.start({ flags: { "public-url": client.url } }), (each) =>
      each.stop(),
    );
    proxy = end.use(await startTlsProxy(program, { plainPort, port, server: new URL(server.url).host }));
  });
  afterAll(() => end.disposeAsync());
  beforeEach(async () => {
    endpoint = await client.endpoint();
  });

  test("a call over HTTP/2, with a certificate that the client checks", async () => {
    const session = http2.connect(client.url, { ca: proxy.certificate.cert, rejectUnauthorized: true });
    try {
      const answer = session.request({ ":path": "/healthz" });
      const [headers] = await new Promise<[http2.IncomingHttpHeaders]>((resolve, reject) => {
        answer.on("response", (...all) => resolve([all[0]]));
        session.on("error", reject);
        answer.on("error", reject);
      });
      expect(headers).toMatchObject({ ":status": 200, "strict-transport-security": "max-age=31536000" });
      answer.resume();
    } finally {
      session.close();
    }
  });

  test("plain HTTP is sent on to HTTPS", async () => {
    const { status, headers } = await fetch(`${plain}/v1/endpoints?a=b`, { redirect: "manual" });
    expect([status, new URL(headers.get("location") ?? "").protocol]).toEqual([308, "https:"]);
  });

  test("a worker that got its addresses from the server does a job of 19 MB", async () => {
    const worker = await client.worker(endpoint);
    expect(worker.env["RUNPOD_WEBHOOK_GET_JOB"]).toStartWith(client.url);
    const text = "é".repeat(9_500_000);
    const taking = worker.take();
    const answer = client.post(`/v2/${endpoint}/runsync?wait=60000`, { input: { text } });
    const { id, input } = (await taking).json;
    expect(input.text === text).toBe(true);
    expect((await worker.done(id, { output: "x".repeat(3_000_000) })).status).toBe(200);
    expect((await answer).json).toMatchObject({ status: "COMPLETED", output: "x".repeat(3_000_000) });
  });

  test("a body above 64 MB is refused", async () => {
    const body = JSON.stringify({ input: "x".repeat(66 * 1_048_576) });
    const refused = await client.post(`/v2/${endpoint}/run`, body).catch((error: unknown) => error);
    // The refusal can close the connection before the client has sent everything.
    if (!(refused instanceof Error)) expect(refused).toMatchObject({ status: 413 });
  });

  test("chunks of a live stream arrive as they are sent", async () => {
    const worker = await client.worker(endpoint);
    const id = await client.run(endpoint);
    await worker.take();
    const answer = await fetch(`${client.url}/v2/${endpoint}/stream/${id}`, {
      headers: { authorization: `Bearer ${TEST_KEY}`, accept: "text/event-stream" },
    });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    for (const part of ["first", "second"]) {
      await worker.stream(id, { output: part });
      while (!seen.includes(part)) seen += (await reader?.read())?.value;
    }
    await reader?.cancel();
    await worker.done(id, { output: "end" });
  });

  test("a worker that disconnects frees its call at the server", async () => {
    const worker = await client.worker(endpoint);
    const over = new AbortController();
    const taking = worker.take(0, over.signal).catch(() => "cut");
    over.abort();
    expect(await taking).toBe("cut");
    const next = await client.worker(endpoint);
    const id = await client.run(endpoint);
    expect((await next.take()).json.id).toBe(id);
    const { json } = await client.get(`/v1/endpoints/${endpoint}/jobs/${id}`);
    expect(json.attempts).toHaveLength(1);
  });

  test("a person signs in at the console, and another page cannot", async () => {
    const signIn = (origin: string) =>
      fetch(`${client.url}/console/session`, {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
        body: JSON.stringify({ key: TEST_KEY }),
      });
    const answer = await signIn(client.url);
    expect(answer.status).toBe(200);
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toContain("; Secure");
    const headers = { cookie: cookie.split(";")[0] ?? "", "sec-fetch-site": "same-origin" };
    expect((await fetch(`${client.url}/console/session`, { headers })).status).toBe(200);
    expect((await signIn("https://elsewhere.example")).status).toBe(401);
  });

  test("while the server restarts calls are refused with 502 or 503; then all is as before", async () => {
    const id = await client.run(endpoint);
    await server.terminate();
    expect([502, 503]).toContain((await client.get("/readyz")).status);
    await server.startAgain();
    await until("it is served again", async () => (await client.get("/readyz")).status === 200);
    expect(await client.status(endpoint, id)).toMatchObject({ status: "IN_QUEUE" });
  });
});

describe("the times in deploy/tls", () => {
  const textOf = (file: string): string =>
    readFileSync(join(import.meta.dir, "../../deploy/tls", file), "utf8");
  /** The longest call that waits, s: runsync. */
  const LONGEST_CALL = 300;
  const restTime = CONFIG_ROWS.restTime.default / 1_000;
  const seconds = (text: string, setting: string): number =>
    Number(new RegExp(`^\\s*${setting} (\\d+)s\\b`, "m").exec(text)?.[1]);

  test.each([
    ["nginx.conf", "proxy_read_timeout"],
    ["haproxy.cfg", "timeout server"],
    ["haproxy.cfg", "timeout client"],
  ])("%s: %s is longer than the longest call", (file, setting) => {
    expect(seconds(textOf(file), setting)).toBeGreaterThan(LONGEST_CALL);
  });

  test("Caddyfile: nothing ends a call that waits", () => {
    expect(textOf("Caddyfile")).not.toMatch(/read_timeout|response_header_timeout|write_timeout|timeouts/);
  });

  test.each([
    ["nginx.conf", "  keepalive_timeout"],
    ["Caddyfile", "keepalive"],
  ])("%s closes idle connections to the server before the server does: %s", (file, setting) => {
    expect(seconds(textOf(file), setting)).toBeLessThan(restTime);
  });

  test.each([
    ["nginx.conf", "  keepalive_timeout 75s"],
    ["haproxy.cfg", "timeout http-keep-alive 75s"],
  ])("%s keeps connections of clients for as long as the server: %s", (file, setting) => {
    expect(textOf(file)).toContain(setting);
  });
});
