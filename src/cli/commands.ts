import type { Command } from "./command.ts";
import { completion } from "./completion.ts";
import { dev } from "./dev/dev.ts";
import { doctor } from "./doctor.ts";
import { deleteEndpoint } from "./endpoints/delete-endpoint.ts";
import {
  createEndpoint,
  listEndpoints,
  pauseEndpoint,
  resumeEndpoint,
  showEndpoint,
  updateEndpoint,
} from "./endpoints/endpoints.ts";
import { listReleases, pauseRelease, resumeRelease, rollBack } from "./endpoints/releases.ts";
import { listWorkers, replaceWorker, stopWorker } from "./endpoints/workers.ts";
import type { CommandGroup } from "./help.ts";
import { logs } from "./logs.ts";
import { createAccount, listAccounts } from "./manage/accounts.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "./manage/keys.ts";
import { rotateSecrets } from "./manage/secrets.ts";
import { migrateStore } from "./migrate-store.ts";
import { cancel } from "./queue/cancel.ts";
import { input } from "./queue/input.ts";
import { openai } from "./queue/openai.ts";
import { health } from "./queue/health.ts";
import { job } from "./queue/job.ts";
import { purge } from "./queue/purge.ts";
import { requests } from "./queue/requests.ts";
import { retry } from "./queue/retry.ts";
import { run } from "./queue/run.ts";
import { runsync } from "./queue/runsync.ts";
import { statistics } from "./queue/statistics.ts";
import { status } from "./queue/status.ts";
import { stream } from "./queue/stream.ts";
import { serve } from "./serve.ts";
import {
  createRegistryLogin,
  deleteRegistryLogin,
  listRegistryLogins,
  showRegistryLogin,
} from "./templates/registry-logins.ts";
import {
  createTemplate,
  deleteTemplate,
  listTemplates,
  showTemplate,
  updateTemplate,
} from "./templates/templates.ts";
import { rotateWebhookSecret, showWebhookSecret } from "./webhooks/webhook-secret.ts";
import { listWebhooks, redeliver } from "./webhooks/webhooks.ts";
import { workerEnv } from "./worker-env.ts";
import { worker } from "./worker/worker.ts";

/** All commands: one line each, by the names that are typed, which have one word or two. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: "Servers and workers",
    commands: {
      serve,
      dev,
      worker,
      "worker env": workerEnv,
      "migrate-store": migrateStore,
      doctor,
      completion: completion(() => COMMANDS),
    },
  },
  {
    title: "The queue of a server",
    commands: {
      run,
      runsync,
      status,
      job,
      stream,
      cancel,
      retry,
      requests,
      input,
      health,
      statistics,
      purge,
      openai,
    },
  },
  {
    title: "Endpoints and their workers",
    commands: {
      "endpoints list": listEndpoints,
      "endpoints show": showEndpoint,
      "endpoints create": createEndpoint,
      "endpoints update": updateEndpoint,
      "endpoints pause": pauseEndpoint,
      "endpoints resume": resumeEndpoint,
      "endpoints delete": deleteEndpoint,
      "workers list": listWorkers,
      "workers stop": stopWorker,
      "workers replace": replaceWorker,
      logs,
      "releases list": listReleases,
      "releases pause": pauseRelease,
      "releases resume": resumeRelease,
      "releases roll-back": rollBack,
      "webhooks list": listWebhooks,
      "webhooks redeliver": redeliver,
      "webhooks secret": showWebhookSecret,
      "webhooks rotate-secret": rotateWebhookSecret,
    },
  },
  {
    title: "Templates, and logins for their images",
    commands: {
      "templates list": listTemplates,
      "templates show": showTemplate,
      "templates create": createTemplate,
      "templates update": updateTemplate,
      "templates delete": deleteTemplate,
      "registry-logins list": listRegistryLogins,
      "registry-logins show": showRegistryLogin,
      "registry-logins create": createRegistryLogin,
      "registry-logins delete": deleteRegistryLogin,
    },
  },
  {
    title: "Who may use a server",
    commands: {
      "accounts create": createAccount,
      "accounts list": listAccounts,
      "keys create": createKey,
      "keys list": listKeys,
      "keys rotate": rotateKey,
      "keys revoke": revokeKey,
      "secrets rotate": rotateSecrets,
    },
  },
];

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  COMMAND_GROUPS.flatMap(({ commands }) => Object.entries(commands)),
);
