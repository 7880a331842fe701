import type { WorkerView } from "../../engine/endpoint-workers.ts";
import { dateText } from "../manage/date-text.ts";

export function presentWorker(worker: WorkerView): object {
  return {
    id: worker.id,
    state: worker.state,
    reason: worker.reason,
    heartbeats: worker.heartbeats,
    managed: worker.managed,
    provider: worker.provider,
    jobs: worker.jobs,
    version: worker.version,
    startedAt: dateText(worker.startedAt),
    lastContact: dateText(worker.lastContact),
  };
}
