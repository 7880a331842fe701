/** Spec 4.B: what each member of a template is without a word of its author. */
export const SPECIFIED_DEFAULTS = {
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

/** Spec 2.8: all members of the record of a new template, except its id, its name and its image. */
export const NEW_TEMPLATE = { ...SPECIFIED_DEFAULTS, isPlatform: false, earned: 0, runtimeInMin: 0 };
