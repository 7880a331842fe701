import type { CommandGroup } from "./command.ts";

/** The commands for the operator of a server, and for whoever creates keys. */
export const OPERATOR_GROUPS: readonly CommandGroup[] = [
  {
    title: "Hosts, where workers run",
    commands: {
      "hosts list": {
        summary: "list the hosts, and how many of their GPUs are used",
        load: async () => (await import("./hosts/hosts.ts")).listHosts,
      },
      "hosts show": {
        summary: "print a host, and which worker has each GPU",
        load: async () => (await import("./hosts/hosts.ts")).showHost,
      },
      "hosts create": {
        summary: "add a Docker engine where workers can run",
        load: async () => (await import("./hosts/change-hosts.ts")).createHost,
      },
      "hosts update": {
        summary: "change the labels by which endpoints choose hosts",
        load: async () => (await import("./hosts/change-hosts.ts")).updateHost,
      },
      "hosts drain": {
        summary: "start no more workers on a host, and end its workers",
        load: async () => (await import("./hosts/change-hosts.ts")).drainHost,
      },
      "hosts resume": {
        summary: "start workers on a host again",
        load: async () => (await import("./hosts/change-hosts.ts")).resumeHost,
      },
      "hosts delete": {
        summary: "delete a host without workers, or a lost one",
        load: async () => (await import("./hosts/change-hosts.ts")).deleteHost,
      },
    },
  },
  {
    title: "Who may use a server",
    commands: {
      "accounts create": {
        summary: "create an account",
        load: async () => (await import("./manage/operator.ts")).createAccount,
      },
      "accounts list": {
        summary: "list the accounts",
        load: async () => (await import("./manage/operator.ts")).listAccounts,
      },
      "keys create": {
        summary: "create a key, and print it",
        load: async () => (await import("./manage/keys.ts")).createKey,
      },
      "keys list": {
        summary: "list the keys, and when each was last used",
        load: async () => (await import("./manage/keys.ts")).listKeys,
      },
      "keys rotate": {
        summary: "replace the secret of a key; the old one stays a while",
        load: async () => (await import("./manage/keys.ts")).rotateKey,
      },
      "keys revoke": {
        summary: "end a key",
        load: async () => (await import("./manage/keys.ts")).revokeKey,
      },
      "keys reset-admin": {
        summary: "create an admin key on the server, if yours is lost",
        load: async () => (await import("./manage/reset-admin.ts")).resetAdmin,
      },
      "secrets rotate": {
        summary: "encrypt the secrets at rest with a new key",
        load: async () => (await import("./manage/operator.ts")).rotateSecrets,
      },
    },
  },
];
