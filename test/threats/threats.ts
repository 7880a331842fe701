import { cellOf, faultsOf } from "../support/shown-tests.ts";
import { GRAVE_THREATS } from "./grave-threats.ts";
import { LESSER_THREATS } from "./lesser-threats.ts";

const THREATS = { ...GRAVE_THREATS, ...LESSER_THREATS };

const HEAD = `# Threats

Made by \`npm run docs\` from \`test/threats\`: do not edit. What could be done to a server, what it
does about it, and the tests that show that.

| threat | what we do | shown by |
|---|---|---|
`;

/** The text of docs/threats.md, and a sentence for each test named in it that is not there. */
export function threats(): { readonly document: string; readonly faults: readonly string[] } {
  const lines = Object.entries(THREATS).map(
    ([id, { says, does, shown }]) => `| **${id}** ${says}. | ${does}. | ${cellOf(shown)} |\n`,
  );
  const faults = Object.values(THREATS).flatMap(({ shown }) => faultsOf(shown));
  return { document: HEAD + lines.join(""), faults };
}
