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

interface NamedEndpoint {
  readonly id: string;
  readonly name: string;
}

/** Why no path means this one of an account's endpoints by its name; undefined where one does. */
export function whyUnreachable(
  { id, name }: NamedEndpoint,
  hasId: (text: string) => boolean,
): string | undefined {
  if (isReservedName(id)) return "its id is a reserved word: once the API uses it, no path leads to it";
  if (isReservedName(name)) return "its name is a reserved word: paths take its id alone";
  if (id !== name && hasId(name))
    return "its name is the id of another endpoint: paths take its own id alone";
  return undefined;
}
