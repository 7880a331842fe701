import { describe, expect, test } from "bun:test";
import { dockerHost } from "../../src/config/values.ts";
import { sshArguments, sshTarget } from "../../src/fleet/docker/ssh-target.ts";

const SOCKET = "/var/run/docker.sock";

describe("the address of an engine behind ssh", () => {
  test.each([
    ["ssh://gpu-1", "gpu-1", undefined, SOCKET],
    ["ssh://ubuntu@gpu-1.example.com/", "ubuntu@gpu-1.example.com", undefined, SOCKET],
    ["ssh://ubuntu@10.1.2.3:2222", "ubuntu@10.1.2.3", "2222", SOCKET],
    ["ssh://me@[fd00::1]:22", "me@fd00::1", "22", SOCKET],
    [
      "ssh://me@gpu-1/run/user/1000/podman/podman.sock",
      "me@gpu-1",
      undefined,
      "/run/user/1000/podman/podman.sock",
    ],
  ])("%s", (address, destination, port, socket) => {
    expect(sshTarget(address)).toEqual({ destination, port, socket });
    expect(dockerHost(address)).toBe(address);
  });

  test.each([
    "ssh://",
    "ssh://-oProxyCommand=touch",
    "ssh://-l@gpu-1",
    "ssh://me@-gpu",
    "ssh://gpu-1:port",
    "ssh://gpu 1",
    "ssh://me:secret@gpu-1",
    "ssh://gpu-1/a:b",
  ])("refuses %p", (address) => {
    expect(sshTarget(address)).toBeUndefined();
    expect(() => dockerHost(address)).toThrow("ssh://user@gpu-1");
  });

  test("ends the options of ssh, asks nothing, and takes the configuration of the operator", () => {
    const target = { destination: "me@gpu-1", port: "2222", socket: SOCKET };
    const words = sshArguments(target, "/etc/forebay/ssh_config", "/tmp/own.sock");
    expect(words.slice(0, 2)).toEqual(["-F", "/etc/forebay/ssh_config"]);
    expect(words).toContain("BatchMode=yes");
    expect(words.slice(-6)).toEqual(["-p", "2222", "-L", `/tmp/own.sock:${SOCKET}`, "--", "me@gpu-1"]);
  });
});
