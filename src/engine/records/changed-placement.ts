import { type Placement, PLACEMENT_DEFAULTS } from "../../domain/placement.ts";

type PlacementChanges = { readonly [Name in keyof Placement]?: Placement[Name] | null | undefined };

/** The wishes with what is given of them; null is the default. */
export function changedPlacement(present: Placement, given: PlacementChanges): Placement {
  const plain: Placement = PLACEMENT_DEFAULTS;
  return {
    computeType: choice(given.computeType, present.computeType, plain.computeType),
    dataCenterIds: choice(given.dataCenterIds, present.dataCenterIds, plain.dataCenterIds),
    cpuFlavorIds: choice(given.cpuFlavorIds, present.cpuFlavorIds, plain.cpuFlavorIds),
    instanceIds: choice(given.instanceIds, present.instanceIds, plain.instanceIds),
    allowedCudaVersions: choice(
      given.allowedCudaVersions,
      present.allowedCudaVersions,
      plain.allowedCudaVersions,
    ),
    minCudaVersion: choice(given.minCudaVersion, present.minCudaVersion, plain.minCudaVersion),
    flashboot: choice(given.flashboot, present.flashboot, plain.flashboot),
  };
}

/** What a change makes of a member: nothing leaves it as it is, and null puts the default back. */
export function choice<Value>(given: Value | null | undefined, present: Value, byDefault: Value): Value {
  return given === null ? byDefault : (given ?? present);
}
