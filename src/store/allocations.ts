/** A device that a worker has for itself: a card, or a slice of one. */
export interface LedgerDevice {
  /** Its UUID, which no other device of any machine has. */
  readonly device: string;
  /** The UUID of its card; that of the device itself if it is a whole card. */
  readonly card: string;
}

/** The devices that a new worker gets, all of them of one host. */
export interface NewAllocation {
  /** The name of the host where the worker is to run. */
  readonly host: string;
  readonly devices: readonly LedgerDevice[];
}

/** A row of the ledger: which worker has a device (decision 0039). */
export interface AllocatedDevice extends LedgerDevice {
  readonly host: string;
  /** The id of its record, with which the row goes. */
  readonly worker: string;
}

/** The rows of a new worker. */
export function allocatedTo(worker: string, { host, devices }: NewAllocation): AllocatedDevice[] {
  return devices.map(({ device, card }) => ({ device, card, host, worker }));
}

/**
 * Whether a worker has one of the wanted devices, on whatever host: two hosts can be one machine. A card and
 * its slices exclude each other. `allocated` is the whole ledger, which has a row for each device in use.
 */
export function isTaken(wanted: readonly LedgerDevice[], allocated: readonly LedgerDevice[]): boolean {
  return wanted.some((one) => allocated.some((other) => excludes(one, other)));
}

function excludes(one: LedgerDevice, other: LedgerDevice): boolean {
  if (one.device === other.device) return true;
  return one.card === other.card && (isWhole(one) || isWhole(other));
}

function isWhole({ device, card }: LedgerDevice): boolean {
  return device === card;
}
