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
