import { existsSync } from "node:fs";
import { prepareSuite, requireInstalled, requireRoot } from "../support/prepare-suite.ts";
import { preparePython } from "../support/python.ts";
import { hasBusybox } from "../support/worker-images.ts";

// What the suite `docker` needs: an engine that it can start, and what images are made of.
prepareSuite(() => {
  requireInstalled({
    "docker.io": existsSync("/usr/sbin/dockerd"),
    "openssh-client": existsSync("/usr/bin/ssh"),
    "openssh-server": existsSync("/usr/sbin/sshd"),
    "busybox-static": hasBusybox(),
  });
  requireRoot("it starts a Docker Engine");
  preparePython();
});
