import { hasBusybox } from "../support/worker-images.ts";
import { prepareSuite, requireInstalled } from "../support/prepare-suite.ts";

// What the suite `process limits` needs: a Linux with cgroup v2 that runs as a program.
prepareSuite(() => {
  requireInstalled({ "user-mode-linux": Bun.which("linux.uml") !== null, "busybox-static": hasBusybox() });
});
