import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { makeCertificate } from "../support/certificate.ts";
import { startReceiver } from "../support/receiver.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const answer = (socket: Socket): void => void socket.end("HTTP/1.1 200 OK\r\n\r\n");

describe("the environment of the server", () => {
  test("names no proxy that is used: a call goes to where it was checked", async () => {
    await using proxy = await startReceiver({ answer });
    await using receiver = await startReceiver({ answer });
    const names = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
    const env = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${proxy.port}`]));
    const proxied = { ...env, NODE_USE_ENV_PROXY: "1", no_proxy: "", NO_PROXY: "" };
    expect(await callWith(proxied, `http://127.0.0.1:${receiver.port}/`, "127.0.0.1")).toContain(
      '"status":200',
    );
    await using secure = await startReceiver({ tls: makeCertificate({ subject: "x" }), answer });
    expect(await callWith(proxied, `https://127.0.0.1:${secure.port}/`, "127.0.0.1")).toContain("TLS");
    expect(await callWith(proxied, "http://10.0.0.1/", "")).toContain("FOREBAY_WEBHOOK_ALLOW");
    expect(proxy.connections).toBe(0);
    expect([receiver.connections, secure.connections]).toEqual([1, 1]);
  });

  test("cannot turn the check of certificates off, and can add an authority", async () => {
    await using directory = await temporaryDirectory();
    const root = makeCertificate({ subject: "Root", isAuthority: true });
    const file = join(directory.path, "root.pem");
    await writeFile(file, root.cert);
    const tls = makeCertificate({
      subject: "x",
      addresses: ["127.0.0.1"],
      issuer: { name: "Root", key: root.key },
    });
    await using receiver = await startReceiver({ tls, answer });
    const url = `https://127.0.0.1:${receiver.port}/`;
    expect(await callWith({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, url, "127.0.0.1")).toContain("TLS");
    expect(receiver.requests).toEqual([]);
    expect(await callWith({ NODE_EXTRA_CA_CERTS: file }, url, "127.0.0.1")).toContain('"status":200');
  });
});

/** What a process of its own says of a call, with these variables beside its own. */
async function callWith(env: Readonly<Record<string, string>>, url: string, allow: string): Promise<string> {
  const program = join(import.meta.dir, "call-program.ts");
  const child = Bun.spawn([process.execPath, program, url, allow], {
    env: { ...process.env, ...env },
    stdout: "pipe",
    stderr: "inherit",
  });
  return await new Response(child.stdout).text();
}
