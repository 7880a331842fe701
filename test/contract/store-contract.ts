import { describe } from "bun:test";
import { allocationsContract } from "./allocations-contract.ts";
import { atomicityContract } from "./atomicity-contract.ts";
import { attemptsContract } from "./attempts-contract.ts";
import { chunksContract } from "./chunks-contract.ts";
import { closingContract } from "./closing-contract.ts";
import { countersContract } from "./counters-contract.ts";
import { damageContract } from "./damage-contract.ts";
import { deliveriesContract } from "./deliveries-contract.ts";
import { deliveryListContract } from "./delivery-list-contract.ts";
import { endpointRecordsContract } from "./endpoint-records-contract.ts";
import { finishContract } from "./finish-contract.ts";
import { lateContract } from "./late-contract.ts";
import { historyContract } from "./history-contract.ts";
import { historyPagesContract } from "./history-pages-contract.ts";
import { historyRemovalContract } from "./history-removal-contract.ts";
import { idempotencyContract } from "./idempotency-contract.ts";
import { leasesContract } from "./leases-contract.ts";
import { modelContract } from "./model-contract.ts";
import type { OpenStore } from "./opened-store.ts";
import { pastWorkersContract } from "./past-workers-contract.ts";
import { payloadsContract } from "./payloads-contract.ts";
import { recordLimitsContract } from "./record-limits-contract.ts";
import { recordsContract } from "./records-contract.ts";
import { queueCapContract } from "./queue-cap-contract.ts";
import { removalContract } from "./removal-contract.ts";
import { reopeningContract } from "./reopening-contract.ts";
import { retryContract } from "./retry-contract.ts";
import { sharedContract } from "./shared-contract.ts";
import { sealedContract } from "./sealed-contract.ts";
import { signalsContract } from "./signals-contract.ts";
import { statisticsContract } from "./statistics-contract.ts";
import { takeContract } from "./take-contract.ts";
import { transitionsContract } from "./transitions-contract.ts";
import { ttlContract } from "./ttl-contract.ts";
import { submittedContract } from "./submitted-contract.ts";
import { unfinishedContract } from "./unfinished-contract.ts";
import { waitingContract } from "./waiting-contract.ts";
import { workersContract } from "./workers-contract.ts";

/** What a store cannot be asked for, and why: the reason is printed with each test that is left out. */
export interface ContractExceptions {
  readonly reopening?: string;
  readonly sharing?: string;
  readonly damage?: string;
}

/** Registers the contract of `src/store/store.ts` as tests; `open` gives a fresh, empty store each time. */
export function storeContract(name: string, open: OpenStore, exceptions: ContractExceptions = {}): void {
  describe(`store contract: ${name}`, () => {
    transitionsContract(open);
    takeContract(open);
    finishContract(open);
    lateContract(open);
    idempotencyContract(open);
    retryContract(open);
    attemptsContract(open);
    leasesContract(open);
    workersContract(open);
    unfinishedContract(open);
    waitingContract(open);
    queueCapContract(open);
    submittedContract(open);
    historyContract(open);
    historyPagesContract(open);
    historyRemovalContract(open);
    ttlContract(open);
    chunksContract(open);
    payloadsContract(open);
    removalContract(open);
    deliveriesContract(open);
    deliveryListContract(open);
    sealedContract(open);
    statisticsContract(open, exceptions.reopening);
    recordsContract(open);
    endpointRecordsContract(open);
    recordLimitsContract(open);
    allocationsContract(open, exceptions.reopening);
    pastWorkersContract(open, exceptions.reopening);
    signalsContract(open);
    atomicityContract(open);
    countersContract(open);
    modelContract(open);
    sharedContract(open, exceptions.sharing);
    closingContract(open);
    reopeningContract(open, exceptions.reopening);
    damageContract(open, exceptions.damage ?? exceptions.reopening);
  });
}
