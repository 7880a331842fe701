import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROWS_TO_COME, SPEC_ROWS } from "./rows.ts";

const TESTS = join(import.meta.dir, "../..");

/** A test that shows a row: its file, relative to `test`, and its name as it is written. */
interface Claim {
  readonly row: string;
  readonly file: string;
  readonly name: string;
}

export interface SpecCoverage {
  /** The text of docs/spec-coverage.md. */
  readonly document: string;
  /** One sentence for each row without a test, and each test or mark without a row. */
  readonly faults: readonly string[];
}

/** Which test shows which row of the specification, from the names of all tests. */
export function specCoverage(): SpecCoverage {
  const faults: string[] = [];
  const claims = testFiles().flatMap((file) => claimsOf(file, faults));
  const byRow = Map.groupBy(claims, ({ row }) => row);
  const unused = new Set(Object.keys(ROWS_TO_COME));
  const lines = Object.entries(SPEC_ROWS).map(([row, says]) => {
    const shown = byRow.get(row)?.map(({ file, name }) => `${code(name)} in \`test/${file}\``);
    if (shown !== undefined) return `| ${row} | ${says} | ${shown.join("<br>")} |`;
    const mark = Object.keys(ROWS_TO_COME).find((start) => row.startsWith(start));
    if (mark === undefined) faults.push(`no test shows row "${row}"`);
    else unused.delete(mark);
    return `| ${row} | ${says} | follows with ${ROWS_TO_COME[mark ?? ""]} |`;
  });
  for (const mark of unused) faults.push(`every row of "${mark}" has a test: take it out of ROWS_TO_COME`);
  return { document: `${HEAD}${lines.join("\n")}\n`, faults };
}

const HEAD = `# Which test shows which row of the specification

Made by \`npm run docs\` from the names of the tests: do not edit. The rows stand in our own words in
\`test/http/spec/rows.ts\`, under the section numbers of \`docs/api.md\`.

| row | says | shown by |
|---|---|---|
`;

/** A text that begins as the name of a claiming test does: a section, a key, a colon. */
const CLAIMING = /(["`])([2-9](?:\.[0-9AB]+)* [^"`\n]*?: (?:\\.|(?!\1)[^\\\n])*)\1/g;

function claimsOf(file: string, faults: string[]): Claim[] {
  const text = readFileSync(join(TESTS, file), "utf8");
  return [...text.matchAll(CLAIMING)].flatMap(([, , name = ""]) => {
    const rows = rowsNamedBy(name);
    if (rows === undefined) faults.push(`${file}: "${name}" begins with no row of the specification`);
    return (rows ?? []).map((row) => ({ row, file, name }));
  });
}

const LONGEST_FIRST = Object.keys(SPEC_ROWS).toSorted((a, b) => b.length - a.length);

/** The ids at the start of a name, parted by commas and closed by a colon; undefined when one is unknown. */
function rowsNamedBy(name: string): string[] | undefined {
  const rows: string[] = [];
  for (let rest = name; ;) {
    const row = LONGEST_FIRST.find((id) => rest.startsWith(`${id}: `) || rest.startsWith(`${id}, `));
    if (row === undefined) return undefined;
    rows.push(row);
    if (rest[row.length] === ":") return rows;
    rest = rest.slice(row.length + 2);
  }
}

function testFiles(): string[] {
  const names = readdirSync(TESTS, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".test.ts")).toSorted();
}

/** As code in a cell of a table. */
function code(name: string): string {
  return `\`${name.replaceAll("|", "\\|").replaceAll("`", "'")}\``;
}
