import type { Step, StepAnswers } from "../steps.ts";
import type { Tables } from "./sqlite-tables.ts";
import { sqliteAddStatistics } from "./steps/sqlite-add-statistics.ts";
import { sqliteAppend } from "./steps/sqlite-append.ts";
import { sqliteCancel } from "./steps/sqlite-cancel.ts";
import { sqliteClaimDeliveries } from "./steps/sqlite-claim-deliveries.ts";
import { sqliteDrain } from "./steps/sqlite-drain.ts";
import { sqliteRedeliver, sqliteReleaseDeliveries } from "./steps/sqlite-due-again.ts";
import { sqliteEnqueue } from "./steps/sqlite-enqueue.ts";
import { sqliteFinish } from "./steps/sqlite-finish.ts";
import { sqliteForget } from "./steps/sqlite-forget.ts";
import { sqliteForgetDeliveries } from "./steps/sqlite-forget-deliveries.ts";
import { sqliteForgetStatistics } from "./steps/sqlite-forget-statistics.ts";
import { sqliteGiveBack } from "./steps/sqlite-give-back.ts";
import { sqliteNoteColdStart } from "./steps/sqlite-note-cold-start.ts";
import { sqliteProgress } from "./steps/sqlite-progress.ts";
import { sqlitePurge } from "./steps/sqlite-purge.ts";
import { sqlitePut } from "./steps/sqlite-put.ts";
import { sqliteRecordDeliveries } from "./steps/sqlite-record-deliveries.ts";
import { sqliteRemove } from "./steps/sqlite-remove.ts";
import { sqliteReseal } from "./steps/sqlite-reseal.ts";
import { sqliteRetry } from "./steps/sqlite-retry.ts";
import { sqliteSeen } from "./steps/sqlite-seen.ts";
import { sqliteSetTtl } from "./steps/sqlite-set-ttl.ts";
import { sqliteTake } from "./steps/sqlite-take.ts";

/** Runs any step inside the open transaction: one file per kind, its statements compiled once. */
export function sqliteRunStep(tables: Tables): (step: Step, now: number) => StepAnswers[Step["step"]] {
  const enqueue = sqliteEnqueue(tables);
  const take = sqliteTake(tables);
  const finish = sqliteFinish(tables);
  const append = sqliteAppend(tables, finish);
  const progress = sqliteProgress(tables);
  const seen = sqliteSeen(tables);
  const giveBack = sqliteGiveBack(tables);
  const cancel = sqliteCancel(tables);
  const retry = sqliteRetry(tables);
  const noteColdStart = sqliteNoteColdStart(tables);
  const setTtl = sqliteSetTtl(tables);
  const drain = sqliteDrain(tables);
  const purge = sqlitePurge(tables);
  const forget = sqliteForget(tables);
  const put = sqlitePut(tables);
  const remove = sqliteRemove(tables);
  const reseal = sqliteReseal(tables);
  const claimDeliveries = sqliteClaimDeliveries(tables);
  const recordDeliveries = sqliteRecordDeliveries(tables);
  const releaseDeliveries = sqliteReleaseDeliveries(tables);
  const redeliver = sqliteRedeliver(tables);
  const forgetDeliveries = sqliteForgetDeliveries(tables);
  const addStatistics = sqliteAddStatistics(tables);
  const forgetStatistics = sqliteForgetStatistics(tables);

  return (step, now) => {
    switch (step.step) {
      case "enqueue":
        return enqueue(step, now);
      case "take":
        return take(step, now);
      case "finish":
        return finish(step, now);
      case "append":
        return append(step, now);
      case "progress":
        return progress(step, now);
      case "seen":
        return seen(step, now);
      case "giveBack":
        return giveBack(step, now);
      case "cancel":
        return cancel(step, now);
      case "retry":
        return retry(step, now);
      case "noteColdStart":
        return noteColdStart(step, now);
      case "setTtl":
        return setTtl(step, now);
      case "drain":
        return drain(step, now);
      case "purge":
        return purge(step, now);
      case "forget":
        return forget(step, now);
      case "put":
        return put(step, now);
      case "remove":
        return remove(step, now);
      case "reseal":
        return reseal(step, now);
      case "claimDeliveries":
        return claimDeliveries(step, now);
      case "recordDeliveries":
        return recordDeliveries(step, now);
      case "releaseDeliveries":
        return releaseDeliveries(step, now);
      case "redeliver":
        return redeliver(step, now);
      case "forgetDeliveries":
        return forgetDeliveries(step, now);
      case "addStatistics":
        return addStatistics(step, now);
      case "forgetStatistics":
        return forgetStatistics(step, now);
    }
  };
}
