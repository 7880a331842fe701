export const TEMPLATE_CATEGORIES = ["NVIDIA", "AMD", "CPU"] as const;

/** What a worker is started from (spec 2.8): all eighteen members, with empty values for "none". */
export interface Template {
  readonly id: string;
  readonly name: string;
  readonly imageName: string;
  readonly category: (typeof TEMPLATE_CATEGORIES)[number];
  readonly containerDiskInGb: number;
  readonly containerRegistryAuthId: string;
  readonly dockerEntrypoint: readonly string[];
  readonly dockerStartCmd: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  readonly readme: string;
  readonly volumeInGb: number;
  readonly volumeMountPath: string;
  readonly isPublic: boolean;
  readonly isServerless: boolean;
  readonly isPlatform: boolean;
  readonly earned: number;
  readonly runtimeInMin: number;
}

/** Spec 4.B.1 and 4.B.2: the defaults of the members. */
export const TEMPLATE_DEFAULTS = {
  category: "NVIDIA",
  containerDiskInGb: 50,
  containerRegistryAuthId: "",
  dockerEntrypoint: [],
  dockerStartCmd: [],
  env: {},
  ports: [],
  readme: "",
  volumeInGb: 20,
  volumeMountPath: "/workspace",
  isPublic: false,
  isServerless: false,
} as const;

/**
 * The name of the operator's command in an image name `process/<name>` (design, row 30); undefined for the
 * image of a container.
 */
export function commandNameOf(imageName: string): string | undefined {
  const prefix = "process/";
  return imageName.startsWith(prefix) ? imageName.slice(prefix.length) : undefined;
}

/**
 * The registry of an image: the part of its name before the first slash, if that looks like a host (it has a
 * dot or a port, or is localhost); otherwise Docker's.
 */
export function registryOf(imageName: string): string {
  const [first = "", ...rest] = imageName.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  return isHost ? first : "docker.io";
}

/**
 * The words of a command, written as for a POSIX shell without variables: blanks separate words, and quotes
 * and backslashes keep them. A quote that is not closed reaches to the end.
 */
export function splitArgs(args: string): string[] {
  const words: string[] = [];
  for (const [word] of args.matchAll(/(?:[^\s'"\\]|\\[^]|'[^']*(?:'|$)|"(?:[^"\\]|\\[^])*(?:"|$)|\\$)+/g)) {
    words.push(word.replaceAll(PART, unquoted));
  }
  return words;
}

/** The words as one text, from which `splitArgs` makes the same words. */
export function joinedArgs(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${quoted(word)}'`)).join(" ");
}

const PART = /'([^']*)(?:'|$)|"((?:[^"\\]|\\[^])*)(?:"|$)|\\([^])/g;

function unquoted(_part: string, single?: string, double?: string, escaped?: string): string {
  return single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? "";
}

/** The end of the quotes, an escaped quote, and quotes again. */
function quoted(word: string): string {
  return word.replaceAll("'", String.raw`'\''`);
}
