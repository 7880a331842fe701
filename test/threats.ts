import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { THREATS } from "./threat-rows.ts";

const HEAD = `# Threats

Made by \`npm run docs\` from \`test/threat-rows.ts\`: do not edit. What could be done to a server, what it
does about it, and the tests that show that.

| threat | what we do | shown by |
|---|---|---|
`;

/** The text of docs/threats.md, and a sentence for each test named in it that is not there. */
export function threats(): { readonly document: string; readonly faults: readonly string[] } {
  const lines = Object.entries(THREATS).map(([id, { says, does, shown }]) => {
    const tests = shown.map(([file, name]) => `\`${name.replaceAll("`", "'")}\` in \`test/${file}\``);
    return `| **${id}** ${says}. | ${does}. | ${tests.join("<br>")} |\n`;
  });
  const faults = Object.values(THREATS).flatMap(({ shown }) =>
    shown
      .filter(([file, name]) => !isThere(file, name))
      .map(([file, name]) => `${file} has no test "${name}"`),
  );
  return { document: HEAD + lines.join(""), faults };
}

function isThere(file: string, name: string): boolean {
  const path = join(import.meta.dir, file);
  return (
    existsSync(path) && ['"', "`"].some((quote) => readFileSync(path, "utf8").includes(quote + name + quote))
  );
}
