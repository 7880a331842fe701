import { buildGoClient } from "../support/go-client.ts";

// What the suite `go sdk` needs: fails with the reason where Go is not installed, or where its proxy for
// modules does not give the one of the SDK.
const obstacle = buildGoClient();
if (obstacle !== undefined) {
  process.stderr.write(`${obstacle}\n`);
  process.exit(1);
}
