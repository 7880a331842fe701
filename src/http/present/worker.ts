import type { WorkerView } from "../../engine/endpoint-workers.ts";
import { dateText } from "../manage/date-text.ts";

export function presentWorker({ startedAt, lastContact, ...worker }: WorkerView): object {
  return { ...worker, startedAt: dateText(startedAt), lastContact: dateText(lastContact) };
}
