import { cellOf, faultsOf } from "../support/shown-tests.ts";
import { DIFFERENCES } from "./differences.ts";
import type { Fact } from "./fact.ts";
import { TRAPS } from "./traps.ts";

const HEAD = `# What public clients and workers do, and which test shows our answer

Made by \`npm run docs\` from \`test/wire\`: do not edit. The first table has where the specification and
the public clients disagree, the second what servers of these clients and workers usually get wrong.
`;

/** The text of docs/wire-coverage.md, and a sentence for each test named in it that is not there. */
export function wireCoverage(): { readonly document: string; readonly faults: readonly string[] } {
  const facts = [...Object.values(DIFFERENCES), ...Object.values(TRAPS)];
  return {
    document: `${HEAD}${tableOf("what differs", DIFFERENCES)}${tableOf("the trap", TRAPS)}`,
    faults: facts.flatMap(({ shown }) => faultsOf(shown)),
  };
}

function tableOf(title: string, facts: Readonly<Record<string, Fact>>): string {
  const lines = Object.entries(facts).map(
    ([number, { says, does, shown }]) => `| **${number}** ${says}. | ${does}. | ${cellOf(shown)} |\n`,
  );
  return `\n| ${title} | what we do | shown by |\n|---|---|---|\n${lines.join("")}`;
}
