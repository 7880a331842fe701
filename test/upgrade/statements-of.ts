/** The statements of a migration, one by one. */
export function statementsOf(script: string): string[] {
  const bare = script.replaceAll(/--[^\n]*/g, "");
  // A semicolon inside of quotes would be none that ends a statement; no migration has one.
  return bare
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}
