import { keyOf } from "../key-of.ts";
import type { SharedData } from "../store.ts";
import { ALL, type MemoryDatabase } from "./memory-database.ts";
import { endedOf } from "./read-jobs.ts";
import { firstOf } from "./table.ts";

/** What servers on the same data say to each other. `time` is the time of the database. */
export function sharedData(database: MemoryDatabase, time: () => number): SharedData {
  const { holds, words, rates } = database;

  return {
    time: async () => time(),

    async hold(name, server, now, until) {
      const held = holds.get(name);
      if (held !== undefined && held.server !== server && held.until > now) return false;
      holds.set(name, { server, until });
      return true;
    },

    async announce(server, word, until) {
      words.set(server, { server, word, until });
    },

    announcements: async () => [...words.values()],

    async forgetServer(server, before) {
      const word = words.get(server);
      if (word !== undefined && word.until < before) words.delete(server);
    },

    rate: async (subject, operation) => rates.get(keyOf(subject, operation)),

    async putRate(subject, operation, rate) {
      const key = keyOf(subject, operation);
      if (rate.version !== (rates.get(key)?.version ?? 0) + 1) return false;
      rates.set(key, rate);
      return true;
    },

    async forgetRates(before) {
      for (const [key, { until }] of rates) if (until < before) rates.delete(key);
    },

    async keepKey() {
      // No server is refused because of the keys that it knows: all are opened by one program.
    },

    stopping: async (workers) =>
      workers.flatMap(({ endpoint, worker }) =>
        endedOf(database, endpoint, worker).map(({ id }) => ({ endpoint, worker, id })),
      ),

    async hangUps() {
      const contacts = firstOf(database.contactsByTime.ascending(ALL), Infinity);
      const gone = contacts.filter((contact) => contact.hung_up === true);
      return gone.map(({ endpoint, worker, lastContact }) => ({ endpoint, worker, at: lastContact }));
    },
  };
}
