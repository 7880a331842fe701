import { existsSync } from "node:fs";
import { ARM64_LIBRARIES, QEMU } from "../support/executables.ts";
import { prepareSuite, requireInstalled, requireRoot } from "../support/prepare-suite.ts";
import { preparePython } from "../support/python.ts";
import { hasBusybox } from "../support/worker-images.ts";

// What the suite `executable` needs: a machine within this one, and an emulator of the other CPU.
prepareSuite(() => {
  requireInstalled({
    "busybox-static": hasBusybox(),
    "qemu-user-static": existsSync(QEMU),
    "libc6-arm64-cross": existsSync(ARM64_LIBRARIES),
  });
  requireRoot("it changes the root directory of a process");
  preparePython();
});
