import { describe, expect, test } from "bun:test";
import { loginHeaders } from "../../src/fleet/docker/registry.ts";

describe("how an engine is told with what to log in to a registry", () => {
  const told = (server: string, password = "p") => {
    const header = loginHeaders({ server, username: "u", password })["x-registry-auth"] ?? "";
    return { header, json: JSON.parse(Buffer.from(header, "base64url").toString()) };
  };

  test("nothing is said without a login", () => expect(loginHeaders(undefined)).toEqual({}));

  test("as JSON in base64 for URLs, with its padding", () => {
    const { header, json } = told("ghcr.io", "ÿ?>~");
    expect(json).toEqual({ username: "u", password: "ÿ?>~", serveraddress: "ghcr.io" });
    expect(header).toMatch(/^[\w-]+=*$/);
    expect(header.length % 4).toBe(0);
  });

  test("Docker's own registry has another name there", () => {
    expect(told("docker.io").json.serveraddress).toBe("https://index.docker.io/v1/");
  });
});
