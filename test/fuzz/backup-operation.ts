import { NOTHING } from "./management-bodies.ts";
import { operation } from "./operation.ts";

/** It is refused: the data of the server lies in memory. */
export const BACKUP = operation(
  {
    name: "back up",
    methods: ["POST"],
    path: "/v1/backup",
    body: NOTHING,
    conflicts: ["NOT_IN_DIRECTORY"],
  },
  undefined,
);
