import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Finding } from "../../src/doctor/finding.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { queueOn } from "../contract/queue.ts";
import { changeInPostgres, flip, REMOVED } from "../support/damage.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { TestServer } from "../support/test-server.ts";

const server = suiteDatabases();

describe("digests of payloads in PostgreSQL", () => {
  test("forebay doctor lists what is damaged, with a running server and without one", async () => {
    const { url, giveBack } = await server().lendDatabase();
    const at = await TestServer.start({ flags: { "database-url": url } });
    const endpoint = await at.endpoint();
    const large = { text: "x".repeat(600_000) };
    const [small, parts, gone] = [
      await at.run(endpoint, {}),
      await at.run(endpoint, large),
      await at.run(endpoint, large),
    ];
    await at.run(endpoint, large);
    expect(await findings(url)).toEqual([{ part: "payloads", state: "ok", says: "all are intact" }]);
    for (const job of [small, parts]) await changeInPostgres(url, { endpoint, job, of: "body" }, flip(-1));
    await changeInPostgres(url, { endpoint, job: gone, of: "body" }, REMOVED);

    const beside = await findings(url);
    await at.forebay.stop();

    expect(beside.map(({ state, says }) => `${state} ${says}`)).toEqual([
      expect.stringMatching(new RegExp(`^fault the input of job ${small} .* CRC-32 differs$`)),
      expect.stringMatching(
        new RegExp(`^fault the input of job ${parts} .*part 2 of payload .* CRC-32 differs$`),
      ),
      expect.stringMatching(new RegExp(`^fault the input of job ${gone} .*part 0 of payload .* is missing$`)),
    ]);
    expect(await findings(url)).toEqual(beside);
    await giveBack();
  }, 60_000);

  test("as long as a server of version 0.1 is known, payloads in rows are as it can read them", async () => {
    const { url, giveBack } = await server().lendDatabase();
    const first = await openPostgresStore(storeOptions(url));
    await using sql = new SQL(url, { max: 1 });
    const bodyOf = async (id: string): Promise<string> => {
      const [row] = await sql`SELECT body FROM forebay.job WHERE id = ${id}`;
      return Buffer.from(row.body).toString("latin1");
    };
    await sql`INSERT INTO forebay.server (server, word, until) VALUES ('of 0.1', '{}', 0)`;
    await first.shared?.announcements();
    const queue = await queueOn(first);
    const body = Buffer.from('{"input":1}');
    await queue.send(queue.steps.enqueue("together", 1, { body }));
    expect(await bodyOf("together")).toBe('{"input":1}');
    await first.close();

    const second = await openPostgresStore(storeOptions(url));
    await second.apply([queue.steps.enqueue("begun", 2, { body })], 1);
    expect(await bodyOf("begun")).toBe('{"input":1}');
    await second.shared?.announce("this", "{}", 0);
    await second.shared?.forgetServer("of 0.1", 1);
    await second.shared?.announcements();
    await second.apply([queue.steps.enqueue("alone", 3, { body })], 1);
    expect(await bodyOf("alone")).toEndWith('{"input":1}');
    expect((await bodyOf("alone")).length).toBe(body.length + 8);
    for (const id of ["together", "begun", "alone"]) {
      const read = await second.body(queue.endpoint, id);
      expect(read && Buffer.from(await second.readPayload(read)).toString()).toBe('{"input":1}');
    }
    await second.close();
    await giveBack();
  }, 60_000);
});

async function findings(url: string): Promise<Finding[]> {
  const command = new ForebayCommand(["doctor", "--database-url", url, "--port", "0", "--json"]);
  const all: Finding[] = JSON.parse((await command.ended()).stdout).findings;
  return all.filter(({ part }) => part === "payloads");
}
