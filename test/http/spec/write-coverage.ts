import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { threats } from "../../threats/threats.ts";
import { troubleshooting } from "../../troubleshooting/rows.ts";
import { wireCoverage } from "../../wire/coverage.ts";
import { specCoverage } from "./coverage.ts";

// `npm run docs`: writes the documents that tests make anew.
const docs = join(import.meta.dir, "../../../docs");
writeFileSync(join(docs, "spec-coverage.md"), specCoverage().document);
writeFileSync(join(docs, "threats.md"), threats().document);
writeFileSync(join(docs, "wire-coverage.md"), wireCoverage().document);
writeFileSync(join(docs, "troubleshooting.md"), troubleshooting().document);
