/** The first words of paths below `/v2` that belong to the management API v2. */
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

/** URLs resolve these before a server sees them. */
const DOT_SEGMENTS: ReadonlySet<string> = new Set([".", ".."]);

/** Whether `/v2/<name>/…` can never be an endpoint of this name. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name) || DOT_SEGMENTS.has(name);
}

interface NamedEndpoint {
  readonly id: string;
  readonly name: string;
}

/** Why no path can use the name of this endpoint of an account; undefined if a path can. */
export function whyUnreachable(
  { id, name }: NamedEndpoint,
  hasId: (text: string) => boolean,
): string | undefined {
  if (isReservedName(id)) return "its id is a reserved word: no path leads to it";
  if (isReservedName(name)) return "its name is a reserved word: paths take its id alone";
  if (id !== name && hasId(name))
    return "its name is the id of another endpoint: paths take its own id alone";
  return undefined;
}
