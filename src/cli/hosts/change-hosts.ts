import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withPath } from "../../domain/errors.ts";
import type { HostAnswer } from "../../http/answers/host.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { type ManageCall, MORE, parseManageCall } from "../manage/manage-call.ts";
import { bodyOf, list, type Members } from "../manage/members.ts";
import { callServer, callWithoutAnswer } from "../server-call.ts";
import { printJson } from "../terminal/print.ts";
import { HOST_NAME, hostInPath, HOSTS_PATH, printHost } from "./hosts.ts";

const LABELS = {
  label: list("labels", "<label>", "a label of the host, by which endpoints choose it (--host-label)"),
} as const satisfies Members;

const CREATE_FLAGS = {
  tls: { type: "string", value: "<directory>", help: "a directory with ca.pem, cert.pem and key.pem" },
  gpu: {
    type: "string",
    multiple: true,
    value: "<uuid>=<model>[:<MB>]",
    help: "a GPU of the host, if Forebay cannot read them. Can be repeated",
  },
  ...LABELS,
} as const satisfies Flags;

/** Creates a host: an engine of Docker. */
export const createHost: Command = {
  words: "<name> <address>",
  about: `
Creates a host from a Docker engine. The server calls the engine first, and
refuses a host that it cannot use. Requires a key with the scope admin.
`,
  flags: { ...CREATE_FLAGS, ...CLIENT_FLAGS },
  examples: [
    "forebay hosts create gpu-1 tcp://gpu-1.example.com:2376 --tls ./certificates",
    "forebay hosts create here unix:///var/run/docker.sock --label eu",
  ],
  async run(args) {
    const call = parseManageCall(args, [HOST_NAME, "address of the engine"], CREATE_FLAGS);
    const [name, address] = call.words;
    const tls = call.text("tls");
    const certificates = tls === undefined ? undefined : await certificatesIn(tls);
    const labels = call.texts("label");
    const body = { name, address, certificates, gpus: call.texts("gpu")?.map(gpuOf), labels };
    printChanged(call, await callServer<HostAnswer>(call.access, HOSTS_PATH, '{"name":', body));
  },
};

/** Changes the labels of a host. */
export const updateHost: Command = {
  words: "<host> [members]",
  about: `
Replaces the labels of a host. New workers of an endpoint with a host label
start only on hosts with that label. labels:=[] removes all labels.
`,
  flags: { ...LABELS, ...CLIENT_FLAGS },
  examples: ["forebay hosts update gpu-1 --label eu --label fast", "forebay hosts update local labels:=[]"],
  async run(args) {
    const call = parseManageCall(args, [HOST_NAME, MORE], LABELS);
    const path = `${HOSTS_PATH}/${hostInPath(call.word)}`;
    const body = await bodyOf(call, LABELS);
    printChanged(call, await callServer<HostAnswer>(call.access, path, '{"name":', body, "PATCH"));
  },
};

/** Drains a host. */
export const drainHost: Command = {
  words: "<host>",
  about: `
Starts no more workers on a host. Its workers end when they have no job, and new
ones start elsewhere. Requires a key with the scope admin.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay hosts drain gpu-1"],
  run: (args) => setDraining(args, true),
};

/** Ends the drain of a host. */
export const resumeHost: Command = {
  words: "<host>",
  about: "Starts workers on a drained host again.",
  flags: CLIENT_FLAGS,
  examples: ["forebay hosts resume gpu-1"],
  run: (args) => setDraining(args, false),
};

const DELETE_FLAGS = {
  lost: { type: "boolean", help: "the host will never run again: its workers count as lost" },
} as const satisfies Flags;

/** Deletes a host. */
export const deleteHost: Command = {
  words: "<host>",
  about: `
Deletes a host without workers. With --lost it also deletes a host that will
never run again: its jobs run elsewhere, and its GPUs are free. If the host
still runs, two workers could use one GPU.
`,
  flags: { ...DELETE_FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay hosts delete gpu-1"],
  async run(args) {
    const { access, isJson, word, isSet } = parseManageCall(args, HOST_NAME, DELETE_FLAGS);
    const query = isSet("lost") ? "?lost=true" : "";
    await callWithoutAnswer(access, `${HOSTS_PATH}/${hostInPath(word)}${query}`, "DELETE");
    if (isJson) printJson({ name: word, deleted: true });
    else console.log(`${word} deleted`);
  },
};

async function setDraining(args: string[], isDraining: boolean): Promise<void> {
  const call = parseManageCall(args, HOST_NAME);
  const path = `${HOSTS_PATH}/${hostInPath(call.word)}`;
  printChanged(call, await callServer<HostAnswer>(call.access, path, '{"name":', { isDraining }, "PATCH"));
}

function printChanged({ isJson }: ManageCall, host: HostAnswer): void {
  if (isJson) printJson(host);
  else printHost(host);
}

async function certificatesIn(directory: string) {
  const read = async (name: string): Promise<string> => {
    const path = join(directory, `${name}.pem`);
    return readFile(path, "utf8").catch((error: unknown) => {
      throw withPath(error, path);
    });
  };
  return { ca: await read("ca"), cert: await read("cert"), key: await read("key") };
}

function gpuOf(given: string) {
  const [, uuid, name, megabytes] = /^([^=]+)=(.+?)(?::(\d+))?$/.exec(given) ?? [];
  if (uuid === undefined) {
    throw new CommandFault(`--gpu takes <uuid>=<model>[:<MB>], got ${JSON.stringify(given)}.`);
  }
  return { uuid, name, memoryInMb: megabytes === undefined ? undefined : Number(megabytes) };
}
