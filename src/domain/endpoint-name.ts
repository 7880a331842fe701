/** The first words of paths below `/v2` that are, or will be, the management API's own. */
const RESERVED: ReadonlySet<string> = new Set([
  "serverless",
  "templates",
  "registries",
  "network-volumes",
  "catalog",
  "billing",
  "account",
  "pods",
  "clusters",
  "openapi.json",
]);

/** A URL resolves them before any server sees them. */
const DOT_SEGMENTS: ReadonlySet<string> = new Set([".", ".."]);

/** Whether `/v2/<name>/…` can never mean an endpoint of this name. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name) || DOT_SEGMENTS.has(name);
}
