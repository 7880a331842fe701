import { describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engineAt } from "../../src/fleet/docker/one-engine.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

describe("two spellings of the address of an engine", () => {
  test.each([
    ["tcp://gpu-1.example.com:2376", "tcp://GPU-1.Example.com:2376/"],
    ["tcp://gpu-1.example.com", "tcp://gpu-1.example.com.:2375"],
    ["tcp://gpu-1", "tcp://gpu-1:2376"],
    ["tcp://[2001:DB8::1]:2376", "tcp://[2001:db8:0::1]"],
    ["ssh://user@gpu-1", "ssh://user@GPU-1:22/var/run/docker.sock"],
    ["ssh://user@gpu-1/run/docker.sock", "ssh://other@gpu-1/"],
    ["unix:///nowhere/docker.sock", "unix:///nowhere//./docker.sock"],
    ["unix:///var/run/nowhere.sock", "unix:///run/nowhere.sock"],
  ])("are one engine: %s and %s", async (one, other) => {
    expect(await engineAt(one)).toBe(await engineAt(other));
  });

  test.each([
    ["tcp://gpu-1:2376", "tcp://gpu-2:2376"],
    ["tcp://gpu-1:2376", "tcp://gpu-1:12376"],
    ["tcp://gpu-1", "ssh://gpu-1"],
    ["ssh://user@gpu-1", "ssh://user@gpu-1/run/user/1000/docker.sock"],
    ["ssh://user@gpu-1", "ssh://user@gpu-1:2222"],
    ["unix:///nowhere/a.sock", "unix:///nowhere/A.sock"],
  ])("are two engines: %s and %s", async (one, other) => {
    expect(await engineAt(one)).not.toBe(await engineAt(other));
  });

  test("are one engine if one is a link to the other", async () => {
    await using directory = await temporaryDirectory();
    const [socket, link] = [join(directory.path, "docker.sock"), join(directory.path, "link.sock")];
    writeFileSync(socket, "");
    symlinkSync(socket, link);
    expect(await engineAt(`unix://${link}`)).toBe(await engineAt(`unix://${socket}`));
  });
});
