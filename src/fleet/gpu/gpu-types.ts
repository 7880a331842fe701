/**
 * The models that clients of the public API name in `gpuTypeIds`, by the name that `nvidia-smi` prints, each
 * with its other public names. This is the only list of them.
 */
export const GPU_TYPES: Readonly<Record<string, readonly string[]>> = {
  "AMD Instinct MI300X OAM": ["MI300X"],
  "NVIDIA A100 80GB PCIe": ["A100 PCIe"],
  "NVIDIA A100-PCIE-40GB": [],
  "NVIDIA A100-SXM4-40GB": [],
  "NVIDIA A100-SXM4-80GB": ["A100 SXM"],
  "NVIDIA A30": ["NVIDIA RTX A30"],
  "NVIDIA A40": [],
  "NVIDIA B200": [],
  "NVIDIA B300 SXM6 AC": ["B300"],
  "NVIDIA GeForce RTX 3070": [],
  "NVIDIA GeForce RTX 3080": [],
  "NVIDIA GeForce RTX 3080 Ti": ["NVIDIA GeForce RTX 3080TI"],
  "NVIDIA GeForce RTX 3090": [],
  "NVIDIA GeForce RTX 3090 Ti": [],
  "NVIDIA GeForce RTX 4070 Ti": [],
  "NVIDIA GeForce RTX 4080": [],
  "NVIDIA GeForce RTX 4080 SUPER": [],
  "NVIDIA GeForce RTX 4090": [],
  "NVIDIA GeForce RTX 5080": [],
  "NVIDIA GeForce RTX 5090": [],
  "NVIDIA H100 80GB HBM3": ["H100 SXM"],
  "NVIDIA H100 NVL": [],
  "NVIDIA H100 PCIe": [],
  "NVIDIA H200": ["H200 SXM"],
  "NVIDIA H200 NVL": [],
  "NVIDIA L4": [],
  "NVIDIA L40": [],
  "NVIDIA L40S": [],
  "NVIDIA RTX 2000 Ada Generation": ["RTX 2000 Ada"],
  "NVIDIA RTX 4000 Ada Generation": ["RTX 4000 Ada"],
  "NVIDIA RTX 4000 SFF Ada Generation": ["RTX 4000 Ada SFF"],
  "NVIDIA RTX 5000 Ada Generation": ["RTX 5000 Ada", "NVIDIA A5000 Ada"],
  "NVIDIA RTX 6000 Ada Generation": ["RTX 6000 Ada"],
  "NVIDIA RTX A2000": [],
  "NVIDIA RTX A2000 12GB": ["NVIDIA RTX A2000"],
  "NVIDIA RTX A4000": [],
  "NVIDIA RTX A4500": [],
  "NVIDIA RTX A5000": [],
  "NVIDIA RTX A6000": [],
  "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition": ["RTX PRO 6000 MaxQ"],
  "NVIDIA RTX PRO 6000 Blackwell Server Edition": ["RTX PRO 6000"],
  "NVIDIA RTX PRO 6000 Blackwell Workstation Edition": ["RTX PRO 6000 WK"],
  "Tesla T4": [],
  "Tesla V100-FHHL-16GB": ["V100 FHHL"],
  "Tesla V100-PCIE-16GB": ["Tesla V100"],
  "Tesla V100-PCIE-32GB": [],
  "Tesla V100-SXM2-16GB": ["V100 SXM2"],
  "Tesla V100-SXM2-32GB": ["V100 SXM2 32GB"],
};

/**
 * Whether a type that a client names is the model that the driver calls `model`. Case, repeated blanks and
 * the words NVIDIA, GeForce, Tesla and Quadro in front do not matter: drivers and clients differ in them. A
 * MIG slice is named by its card and its profile, as in `NVIDIA A100-SXM4-80GB MIG 1g.10gb`.
 */
export function isOfType(model: string, type: string): boolean {
  const [ours, theirs] = [partsOf(model), partsOf(type)];
  if (ours.profile !== theirs.profile) return false;
  return ours.card === theirs.card || (BY_NAME.get(theirs.card)?.has(ours.card) ?? false);
}

/** Whether some GPU has this name, although perhaps no host has that GPU. */
export function isKnownType(type: string): boolean {
  return BY_NAME.has(partsOf(type).card);
}

/** The models of each public name. */
const BY_NAME: ReadonlyMap<string, ReadonlySet<string>> = byName();

function byName(): Map<string, Set<string>> {
  const models = new Map<string, Set<string>>();
  for (const [model, others] of Object.entries(GPU_TYPES)) {
    for (const name of [model, ...others]) {
      const known = models.get(shortName(name)) ?? new Set();
      models.set(shortName(name), known.add(shortName(model)));
    }
  }
  return models;
}

function partsOf(name: string): { readonly card: string; readonly profile: string } {
  const [card = "", profile = ""] = shortName(name).split(" mig ");
  return { card, profile };
}

function shortName(name: string): string {
  const plain = name.trim().toLowerCase().replaceAll(/\s+/g, " ");
  return plain.replace(/^(nvidia )?(geforce |tesla |quadro )?/, "");
}
