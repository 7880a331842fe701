/** What is wrong, as sentences. */
export interface Faults {
  /** Acknowledged, and not there, or not ended when nothing waits or runs any more. */
  readonly lost: string[];
  /** There, though nobody sent it. */
  readonly unexpected: string[];
  /** One submission as two jobs; one attempt handed out, ended or read twice. */
  readonly duplicated: string[];
  /** One state after another that no transition leads to. */
  readonly illegal: string[];
  /** No order of the calls explains what was seen of the job. */
  readonly notLinearizable: string[];
}

export const FAULTLESS: Faults = {
  lost: [],
  unexpected: [],
  duplicated: [],
  illegal: [],
  notLinearizable: [],
};

export function merged(all: readonly Partial<Faults>[]): Faults {
  const faults: Faults = { lost: [], unexpected: [], duplicated: [], illegal: [], notLinearizable: [] };
  for (const some of all) {
    faults.lost.push(...(some.lost ?? []));
    faults.unexpected.push(...(some.unexpected ?? []));
    faults.duplicated.push(...(some.duplicated ?? []));
    faults.illegal.push(...(some.illegal ?? []));
    faults.notLinearizable.push(...(some.notLinearizable ?? []));
  }
  return faults;
}
