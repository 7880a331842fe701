export const TEMPLATE_CATEGORIES = ["NVIDIA", "AMD", "CPU"] as const;

/** What a worker is made of (spec 2.8): all eighteen members, "none" as an empty value. */
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

/** Spec 4.B.1 and 4.B.2: what a member is when the caller does not say. */
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
 * The name of the operator's command that an image name stands for, `process/<name>` (design, row 30);
 * undefined for the image of a container.
 */
export function commandNameOf(imageName: string): string | undefined {
  const prefix = "process/";
  return imageName.startsWith(prefix) ? imageName.slice(prefix.length) : undefined;
}

/**
 * The registry from which an image comes: the part of its name before the first slash, if that looks like a
 * host (it has a dot or a port, or is localhost), else that of Docker.
 */
export function registryOf(imageName: string): string {
  const [first = "", ...rest] = imageName.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  return isHost ? first : "docker.io";
}
