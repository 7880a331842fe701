import { buildGoClient } from "../support/go-client.ts";
import { prepareSuite } from "../support/prepare-suite.ts";

// What the suite `go sdk` needs: Go, and the module of the SDK from Go's proxy.
prepareSuite(buildGoClient);
