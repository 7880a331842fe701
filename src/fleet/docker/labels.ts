/** By these labels a server knows what on an engine is its own. */
export const LABELS = {
  deployment: "io.forebay.deployment",
  server: "io.forebay.server",
  endpoint: "io.forebay.endpoint",
  worker: "io.forebay.worker",
  image: "io.forebay.image",
  digest: "io.forebay.digest",
} as const;

/** The query that finds what has all these labels. */
export function labelled(labels: Readonly<Record<string, string>>): Record<string, string> {
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return { filters: JSON.stringify({ label }) };
}
