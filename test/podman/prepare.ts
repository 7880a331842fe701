import { existsSync } from "node:fs";
import { prepareSuite, requireInstalled, requireRoot } from "../support/prepare-suite.ts";
import { hasBusybox } from "../support/worker-images.ts";

// What the suite `podman` needs.
prepareSuite(() => {
  requireInstalled({
    podman: existsSync("/usr/bin/podman"),
    runc: existsSync("/usr/sbin/runc"),
    "busybox-static": hasBusybox(),
  });
  requireRoot("it starts a Podman service");
});
