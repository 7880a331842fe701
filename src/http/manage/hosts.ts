import { z } from "zod";
import { deleteHost, deleteLostHost } from "../../engine/delete-host.ts";
import { hostNamed, hostsOf } from "../../engine/hosts.ts";
import { createHost, updateHost } from "../../engine/records/hosts.ts";
import { accountOperation } from "../account-operation.ts";
import { HOST, HOSTS, type HostsAnswer, presentHost } from "../answers/host.ts";
import { flag } from "../parameters.ts";
import { jsonValue, noContent } from "../reply.ts";
import { PAGE, pageOf, placeBy } from "./page.ts";
import { hostLabel, text } from "./text-fields.ts";

/** The longest certificate or key, characters. */
const LONGEST_PEM = 65_536;

const pem = text(LONGEST_PEM, 1);

const certificates = z
  .strictObject({ ca: pem, cert: pem, key: pem })
  .meta({ description: "The certificates and the key of the connection, in PEM, for TLS." });

const gpu = z.strictObject({
  uuid: z.string().regex(/^(GPU|MIG)-[A-Za-z0-9/-]{1,120}$/, "must be a UUID as nvidia-smi -L shows it"),
  name: text(191, 1),
  memoryInMb: z.int().min(1).max(16_777_216).optional(),
});

/** A worker can have 128 GPUs. */
const declaredGpus = z
  .array(gpu)
  .max(128)
  .refine((given) => new Set(given.map(({ uuid }) => uuid)).size === given.length, "must not repeat a uuid")
  .meta({ description: "The GPUs of the host, if Forebay cannot read them." });

/** Far more than anyone gives a host. */
const MOST_LABELS = 20;

const labels = z
  .array(hostLabel)
  .max(MOST_LABELS)
  .refine((given) => new Set(given).size === given.length, "must not repeat a label")
  .meta({ description: "Endpoints choose hosts by them, with `hostLabel`." });

const list = accountOperation({
  id: "listHosts",
  method: "GET",
  path: "/v1/hosts",
  access: "admin",
  tag: "hosts",
  summary: "List the hosts",
  description: "With several servers, `local` and `docker` are those of the server that answers.",
  query: PAGE,
  answers: { 200: { description: "The hosts, by name.", json: HOSTS } },
  async handle({ engine }, _call, { query }) {
    const page = query();
    const { items, nextCursor } = pageOf(page, await hostsOf(engine), ({ name }) => placeBy(0, name));
    return jsonValue({ hosts: items.map(presentHost), nextCursor } satisfies HostsAnswer);
  },
});

const read = accountOperation({
  id: "readHost",
  method: "GET",
  path: "/v1/hosts/{host}",
  access: "admin",
  tag: "hosts",
  summary: "Read a host",
  answers: { 200: { description: "The host.", json: HOST } },
  async handle({ engine }, { parameters: [host = ""] }) {
    return jsonValue(presentHost(await hostNamed(engine, host)));
  },
});

const create = accountOperation({
  id: "createHost",
  method: "POST",
  path: "/v1/hosts",
  access: "admin",
  tag: "hosts",
  summary: "Create a host",
  description:
    "An engine of Docker. The server calls it once before it answers: a host that cannot be used is refused.",
  body: {
    schema: z
      .strictObject({
        name: z.string().regex(/^[A-Za-z0-9_-]{1,63}$/, "must have 1 to 63 letters, digits, - and _"),
        address: text(1_000, 1),
        certificates: certificates.optional(),
        gpus: declaredGpus.optional(),
        labels: labels.optional(),
      })
      .meta({ id: "HostCreation", description: "What is said of a new host." }),
    example: { name: "gpu-1", address: "tcp://gpu-1.example.com:2376" },
    isRequired: true,
  },
  answers: { 200: { description: "The host.", json: HOST } },
  errors: ["NAME_TAKEN", "CHANGED_MEANWHILE", "LIMIT_REACHED", "STORAGE_FULL"],
  async handle({ engine }, _call, { body }) {
    const { name, address, certificates: given, gpus, labels: named = [] } = await body();
    const declared = gpus?.map(({ uuid, name: model, memoryInMb }) => {
      return { uuid, name: model, memoryMb: memoryInMb };
    });
    await createHost(engine, { name, address, certificates: given, gpus: declared, labels: named });
    return jsonValue(presentHost(await hostNamed(engine, name)));
  },
});

const change = accountOperation({
  id: "updateHost",
  method: "PATCH",
  path: "/v1/hosts/{host}",
  access: "admin",
  tag: "hosts",
  summary: "Drain a host, end its drain, or change its labels",
  description:
    "A host that drains gets no new workers. Its workers end when they have no job. A change of the labels " +
    "concerns new workers only.",
  body: {
    schema: z
      .strictObject({ isDraining: z.boolean().optional(), labels: labels.optional() })
      .meta({ id: "HostChanges", description: "What changes of a host. Other members stay as they are." }),
    example: { isDraining: true },
    isRequired: true,
  },
  answers: { 200: { description: "The host.", json: HOST } },
  errors: ["CHANGED_MEANWHILE", "STORAGE_FULL"],
  async handle({ engine }, { parameters: [host = ""] }, { body }) {
    await hostNamed(engine, host);
    const { isDraining, labels: named } = await body();
    await updateHost(engine, host, { isDraining, labels: named });
    return jsonValue(presentHost(await hostNamed(engine, host)));
  },
});

const remove = accountOperation({
  id: "deleteHost",
  method: "DELETE",
  path: "/v1/hosts/{host}",
  access: "admin",
  tag: "hosts",
  summary: "Delete a host",
  query: {
    lost: flag(
      "Nothing of it will ever run again: the jobs of its workers are handed out, and their GPUs are free.",
    ),
  },
  answers: { 204: { description: "It is deleted." } },
  errors: ["HOST_CONFIGURED", "IN_USE", "STORAGE_FULL"],
  async handle({ engine }, { parameters: [host = ""] }, { query }) {
    await (query().lost ? deleteLostHost(engine, host) : deleteHost(engine, host));
    return noContent();
  },
});

/** The hosts where workers run: list, read, create, drain, delete (docs/hosts.md). */
export const HOST_OPERATIONS = [list, create, read, change, remove] as const;
