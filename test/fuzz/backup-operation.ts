import { NOTHING } from "./management-bodies.ts";
import { operation } from "./operation.ts";

/** The fuzz test has its data in a directory; what the archive has, test/backup shows. */
export const BACKUP = operation(
  {
    name: "back up",
    methods: ["POST"],
    path: "/v1/backup",
    body: NOTHING,
    conflicts: ["NOT_IN_DIRECTORY", "BACKUP_RUNNING"],
  },
  undefined,
);
