/** What a run of `bun test` showed about a build. */
export interface Verdict {
  readonly kind: "caught" | "passed" | "broken down";
  /** The test that failed, or what happened instead. */
  readonly says: string;
}

/** The build does not load: that shows nothing about a promise. */
const DOES_NOT_LOAD = /^(ReferenceError|SyntaxError|ResolveMessage|BuildMessage)$/;
const FAILURE = /<testcase name="([^"]*)" classname="([^"]*)"[^>]*>\s*<failure type="([^"]*)"/g;

/**
 * Reads the JUnit report of a run. A build is caught by a test that fails by itself: a hook has no name, and
 * a file that cannot be loaded leaves no report.
 */
export function verdictOf(report: string | undefined, exitCode: number | null): Verdict {
  if (exitCode === null) return { kind: "broken down", says: "the tests did not end in time" };
  if (report === undefined) return { kind: "broken down", says: "no test ran" };
  if (exitCode === 0) return { kind: "passed", says: "all tests passed" };
  for (const [, name = "", group = "", type = ""] of report.matchAll(FAILURE)) {
    if (name === "(unnamed)" || DOES_NOT_LOAD.test(type)) continue;
    return { kind: "caught", says: fullName(unescaped(group), unescaped(name)) };
  }
  return { kind: "broken down", says: "no test failed by itself" };
}

/** Bun names the innermost group first. */
function fullName(group: string, name: string): string {
  const groups = group === "" ? [] : group.split(" > ").toReversed();
  return [...groups, name].join(" > ");
}

function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replaceAll(/&(\w+);/g, (entity, name: string) => characters[name] ?? entity);
}
