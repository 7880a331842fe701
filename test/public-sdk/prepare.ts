import { SDK_VERSIONS } from "../sdk-versions/versions.ts";
import { prepareSuite } from "../support/prepare-suite.ts";
import { preparePython } from "../support/python.ts";

// What the suite `public sdk` needs.
prepareSuite(() => {
  for (const { environment } of SDK_VERSIONS) preparePython(environment);
});
