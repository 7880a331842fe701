import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { specCoverage } from "./coverage.ts";

// `npm run docs`: writes docs/spec-coverage.md anew.
writeFileSync(join(import.meta.dir, "../../../docs/spec-coverage.md"), specCoverage().document);
