import type { Member } from "../member.ts";

const LEFT_OVERS = "test/fleet/left-overs.test.ts";

/** Which processes a server may kill. */
export const MEMBERS: readonly Member[] = [
  {
    name: "process of another boot",
    breaks: "After a reboot no process of before is killed",
    file: "src/fleet/process/process-mark.ts",
    replace: "${birthtimeNs}-${boot}",
    by: "${birthtimeNs}-${boot.length}",
    caughtBy: { suite: "fleet", files: [LEFT_OVERS], test: "reboot" },
  },
  {
    name: "process of the original",
    breaks: "A copy of a directory kills no process of the original",
    file: "src/fleet/process/left-overs.ts",
    replace: "mark.place === place && mark.startedAt",
    by: 'mark.place !== "" && mark.startedAt',
    caughtBy: { suite: "fleet", files: [LEFT_OVERS], test: "copy" },
  },
];
