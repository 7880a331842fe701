import type { Command, CommandGroup, ListedCommand } from "./command.ts";
import { OPERATOR_GROUPS } from "./operator-commands.ts";

/**
 * All commands by name, which has one word or two. A command's module is loaded when it is called: loading
 * all takes longer than most commands run.
 */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: "Servers and workers",
    commands: {
      serve: {
        summary: "run the server",
        load: async () => (await import("./serve.ts")).serve,
      },
      dev: {
        summary: "serve one handler, and reload it when it changes",
        load: async () => (await import("./dev/dev.ts")).dev,
      },
      deploy: {
        summary: "build an image, and run its workers behind an endpoint",
        load: async () => (await import("./deploy/deploy.ts")).deploy,
      },
      worker: {
        summary: "run a worker, or jobs as requests or processes",
        load: async () => (await import("./worker/worker.ts")).worker,
      },
      "worker env": {
        summary: "create a worker token, print its environment",
        load: async () => (await import("./worker-env.ts")).workerEnv,
      },
      "worker run": {
        summary: "run a handler file as a worker",
        load: async () => (await import("./worker-run.ts")).workerRun,
      },
      "migrate-store": {
        summary: "copy the data of a stopped server to PostgreSQL",
        load: async () => (await import("./migrate-store.ts")).migrateStore,
      },
      compact: {
        summary: "shrink the database of a stopped server",
        load: async () => (await import("./compact.ts")).compact,
      },
      backup: {
        summary: "back up a server while it runs, or a data directory",
        load: async () => (await import("./backup.ts")).backup,
      },
      restore: {
        summary: "restore a data directory from a backup",
        load: async () => (await import("./restore.ts")).restore,
      },
      doctor: {
        summary: "check all a server needs, and show fixes",
        load: async () => (await import("./doctor.ts")).doctor,
      },
      ready: {
        summary: "check whether the server on this machine is ready",
        load: async () => (await import("./ready.ts")).ready,
      },
      completion: {
        summary: "print the completion script of a shell",
        load: async () => (await import("./completion.ts")).completion(loadCommands),
      },
    },
  },
  {
    title: "The queue of a server",
    commands: {
      run: {
        summary: "submit a job",
        load: async () => (await import("./queue/submit.ts")).run,
      },
      runsync: {
        summary: "submit a job, and wait until it ends",
        load: async () => (await import("./queue/submit.ts")).runsync,
      },
      status: {
        summary: "print the state of a job; with --wait, when it ends",
        load: async () => (await import("./queue/one-job.ts")).status,
      },
      jobs: {
        summary: "find jobs on all endpoints, including finished jobs",
        load: async () => (await import("./queue/jobs.ts")).jobs,
      },
      "jobs retry": {
        summary: "retry all jobs that match",
        load: async () => (await import("./queue/many-jobs.ts")).retryJobs,
      },
      "jobs resubmit": {
        summary: "submit all jobs that match as new jobs",
        load: async () => (await import("./queue/many-jobs.ts")).resubmitJobs,
      },
      "jobs cancel": {
        summary: "cancel all jobs that match",
        load: async () => (await import("./queue/many-jobs.ts")).cancelJobs,
      },
      "jobs operations": {
        summary: "list the actions on many jobs",
        load: async () => (await import("./queue/job-operations.ts")).listOperations,
      },
      "jobs stop": {
        summary: "stop an action on many jobs",
        load: async () => (await import("./queue/job-operations.ts")).stopOperation,
      },
      job: {
        summary: "show the timeline of a job, and why it waits or failed",
        load: async () => (await import("./queue/job.ts")).job,
      },
      stream: {
        summary: "print the output of a job while it runs",
        load: async () => (await import("./queue/stream.ts")).stream,
      },
      cancel: {
        summary: "cancel a job",
        load: async () => (await import("./queue/one-job.ts")).cancel,
      },
      retry: {
        summary: "retry a failed job",
        load: async () => (await import("./queue/one-job.ts")).retry,
      },
      requests: {
        summary: "list the jobs",
        load: async () => (await import("./queue/requests.ts")).requests,
      },
      input: {
        summary: "print the input of a job",
        load: async () => (await import("./queue/one-job.ts")).input,
      },
      health: {
        summary: "count the jobs and workers of an endpoint",
        load: async () => (await import("./queue/whole-queue.ts")).health,
      },
      statistics: {
        summary: "print the statistics of an endpoint, or of all",
        load: async () => (await import("./queue/statistics.ts")).statistics,
      },
      purge: {
        summary: "remove all waiting jobs",
        load: async () => (await import("./queue/whole-queue.ts")).purge,
      },
      openai: {
        summary: "call a model with the OpenAI API",
        load: async () => (await import("./queue/openai.ts")).openai,
      },
    },
  },
  {
    title: "Endpoints and their workers",
    commands: {
      "endpoints list": {
        summary: "list the endpoints",
        load: async () => (await import("./endpoints/endpoints.ts")).listEndpoints,
      },
      "endpoints show": {
        summary: "print an endpoint, and why its jobs wait",
        load: async () => (await import("./endpoints/endpoints.ts")).showEndpoint,
      },
      "endpoints create": {
        summary: "create an endpoint",
        load: async () => (await import("./endpoints/endpoints.ts")).createEndpoint,
      },
      "endpoints update": {
        summary: "change an endpoint",
        load: async () => (await import("./endpoints/endpoints.ts")).updateEndpoint,
      },
      "endpoints pause": {
        summary: "pause an endpoint: its jobs wait",
        load: async () => (await import("./endpoints/endpoints.ts")).pauseEndpoint,
      },
      "endpoints resume": {
        summary: "resume a paused endpoint",
        load: async () => (await import("./endpoints/endpoints.ts")).resumeEndpoint,
      },
      "endpoints delete": {
        summary: "delete an endpoint, at once or with --drain",
        load: async () => (await import("./endpoints/delete-endpoint.ts")).deleteEndpoint,
      },
      "workers list": {
        summary: "list the workers of an endpoint",
        load: async () => (await import("./endpoints/workers.ts")).listWorkers,
      },
      "workers stop": {
        summary: "stop a worker",
        load: async () => (await import("./endpoints/workers.ts")).stopWorker,
      },
      "workers replace": {
        summary: "stop a worker after its jobs, and start a new one",
        load: async () => (await import("./endpoints/workers.ts")).replaceWorker,
      },
      logs: {
        summary: "print the logs of workers",
        load: async () => (await import("./logs.ts")).logs,
      },
      "releases list": {
        summary: "list the releases; with --watch wait for the newest",
        load: async () => (await import("./endpoints/releases.ts")).listReleases,
      },
      "releases pause": {
        summary: "pause the newest release",
        load: async () => (await import("./endpoints/releases.ts")).pauseRelease,
      },
      "releases resume": {
        summary: "resume a paused release",
        load: async () => (await import("./endpoints/releases.ts")).resumeRelease,
      },
      "releases roll-back": {
        summary: "roll back to an earlier version",
        load: async () => (await import("./endpoints/releases.ts")).rollBack,
      },
      "webhooks list": {
        summary: "list the webhooks of an endpoint",
        load: async () => (await import("./webhooks/webhooks.ts")).listWebhooks,
      },
      "webhooks redeliver": {
        summary: "send a webhook again, or all of a time range",
        load: async () => (await import("./webhooks/webhooks.ts")).redeliver,
      },
      "webhooks secret": {
        summary: "print the secret that signs the webhooks",
        load: async () => (await import("./webhooks/webhook-secret.ts")).showWebhookSecret,
      },
      "webhooks rotate-secret": {
        summary: "create a secret; the old one also signs for a while",
        load: async () => (await import("./webhooks/webhook-secret.ts")).rotateWebhookSecret,
      },
    },
  },
  {
    title: "Templates, and logins for their images",
    commands: {
      "templates list": {
        summary: "list the templates",
        load: async () => (await import("./templates/templates.ts")).listTemplates,
      },
      "templates show": {
        summary: "print a template and its readme",
        load: async () => (await import("./templates/templates.ts")).showTemplate,
      },
      "templates create": {
        summary: "create a template",
        load: async () => (await import("./templates/templates.ts")).createTemplate,
      },
      "templates update": {
        summary: "change a template, and release it on its endpoints",
        load: async () => (await import("./templates/templates.ts")).updateTemplate,
      },
      "templates delete": {
        summary: "delete a template that no endpoint uses",
        load: async () => (await import("./templates/templates.ts")).deleteTemplate,
      },
      "registry-logins list": {
        summary: "list the registry logins",
        load: async () => (await import("./templates/registry-logins.ts")).listRegistryLogins,
      },
      "registry-logins show": {
        summary: "print a registry login",
        load: async () => (await import("./templates/registry-logins.ts")).showRegistryLogin,
      },
      "registry-logins create": {
        summary: "create a login for private images",
        load: async () => (await import("./templates/registry-logins.ts")).createRegistryLogin,
      },
      "registry-logins delete": {
        summary: "delete a registry login that no template uses",
        load: async () => (await import("./templates/registry-logins.ts")).deleteRegistryLogin,
      },
    },
  },
  ...OPERATOR_GROUPS,
];

export const COMMANDS: ReadonlyMap<string, ListedCommand> = new Map(
  COMMAND_GROUPS.flatMap(({ commands }) => Object.entries(commands)),
);

/** All commands with their flags. Loads the module of each. */
export async function loadCommands(): Promise<ReadonlyMap<string, Command>> {
  const loaded = [...COMMANDS].map(async ([name, { load }]) => [name, await load()] as const);
  return new Map(await Promise.all(loaded));
}
