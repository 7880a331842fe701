import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsOf } from "../backup/backup-world.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freePort } from "../support/free-port.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { TEST_KEY } from "../support/test-client.ts";

const LIMIT = 30_000;

/** What is wrong in a copy of a data directory: below `room`, as `data` with its key beside. */
interface Fault {
  readonly name: string;
  readonly make: (room: string) => void;
  /** For each command the sentence that says so. */
  readonly says: string | RegExp;
  readonly of?: readonly string[];
}

/** Commands that work on the data directory `DATA`. */
const COMMANDS: Readonly<Record<string, string>> = {
  serve: "serve --port 0 --data DATA",
  compact: "compact --data DATA",
  backup: "backup OUT --data DATA",
  "migrate-store": "migrate-store --from DATA --to postgres://nobody@127.0.0.1:1/none",
};

const FAULTS: readonly Fault[] = [
  {
    name: "a file where the directory should be",
    make: (room) => {
      rmSync(join(room, "data"), { recursive: true });
      writeFileSync(join(room, "data"), "mine");
    },
    says: "data",
  },
  {
    name: "a database that is no database",
    make: (room) =>
      writeFileSync(join(room, "data/forebay.db"), "this is no database, and has more than a page"),
    says: /is not a SQLite database|is damaged/,
  },
  {
    name: "a database of which half is gone",
    make: (room) => truncateSync(join(room, "data/forebay.db"), 40_000),
    says: "damaged",
  },
  {
    name: "a database that is missing",
    make: (room) => rmSync(join(room, "data/forebay.db")),
    says: /forebay\.db|no data of Forebay/,
  },
  {
    name: "a directory where the database should be",
    make: (room) => {
      rmSync(join(room, "data/forebay.db"));
      mkdirSync(join(room, "data/forebay.db"));
    },
    says: "forebay.db",
  },
  {
    name: "a damaged identity",
    make: (room) => writeFileSync(join(room, "data/identity"), "{"),
    says: "identity is damaged. Put the file back from a backup of the directory.",
  },
  {
    name: "a file where the payloads should be",
    make: (room) => {
      rmSync(join(room, "data/payloads"), { recursive: true });
      writeFileSync(join(room, "data/payloads"), "mine");
    },
    says: "payloads",
    of: ["serve"],
  },
  {
    name: "an empty key file",
    make: (room) => writeFileSync(join(room, "data.key"), "\n"),
    says: "data.key is empty. It should hold the key that encrypts secrets at rest.",
    of: ["serve", "backup", "migrate-store"],
  },
  {
    name: "a directory where the key file should be",
    make: (room) => {
      rmSync(join(room, "data.key"));
      mkdirSync(join(room, "data.key"));
    },
    says: "data.key",
    of: ["serve", "backup", "migrate-store"],
  },
  {
    name: "a key of other data",
    make: (room) => writeFileSync(join(room, "data.key"), "another key\n"),
    says: "cannot decrypt",
    of: ["serve", "migrate-store"],
  },
  {
    name: "no key file",
    make: (room) => rmSync(join(room, "data.key")),
    says: "data.key is",
    of: ["serve", "migrate-store"],
  },
];

const CASES = FAULTS.flatMap((fault) =>
  Object.keys(COMMANDS)
    .filter((command) => fault.of?.includes(command) ?? true)
    .map((command) => [command, fault.name, fault] as const),
);

describe("bad input is one sentence with exit code 2, and changes nothing", () => {
  let server: ServerProcess;
  let origin: string;
  let rooms = 0;
  beforeAll(async () => {
    server = await ServerProcess.start();
    origin = join(server.directory, "data");
    const webhook = { webhook: "https://example.com/hook" };
    const endpoint = await server.endpoint();
    await server.run(endpoint, { text: "x".repeat(100_000) }, webhook);
    await server.terminate();
  });
  afterAll(() => server.stop());

  /** A directory of its own, with the data moved into it: its inode stays. */
  async function room(make: (room: string) => void = () => undefined): Promise<string> {
    const path = join(server.directory, `room-${++rooms}`);
    mkdirSync(path);
    cpSync(`${origin}.key`, join(path, "data.key"));
    cpSync(origin, join(path, "data"), { recursive: true });
    const { ino, birthtimeNs } = statSync(join(path, "data"), { bigint: true });
    const identity = join(path, "data/identity");
    const known = await Bun.file(identity).json();
    writeFileSync(identity, JSON.stringify({ ...known, inode: String(ino), bornAt: String(birthtimeNs) }));
    make(path);
    return path;
  }

  async function expectRefused(
    words: readonly string[],
    sentence: string | RegExp,
    { env = {}, at, isOther = false }: { env?: Record<string, string>; at?: string; isOther?: boolean } = {},
  ): Promise<void> {
    const before = at === undefined ? {} : contentsOf(at);
    const { status, stdout, stderr } = isOther
      ? await asOther(words)
      : await new ForebayCommand(words, { env }).ended();
    const [line = "", ...more] = stderr.split("\n");
    expect({ status, stdout, line, more }).toEqual({
      status: 2,
      stdout: "",
      line:
        typeof sentence === "string" ? expect.stringContaining(sentence) : expect.stringMatching(sentence),
      more: [""],
    });
    expect(line).toMatch(/^forebay [a-z-]+( [a-z-]+)?: .*[.)]$/);
    expect(line.replace(/\(E[A-Z]+\)/, "")).not.toMatch(
      /\b(E[A-Z]{4,}|ERR_[A-Z_]+|SQLITE_[A-Z]+|ZodError|at async)\b|\[\{|\[object/,
    );
    if (at !== undefined) expect(contentsOf(at)).toEqual(before);
  }

  /** The command as somebody to whom none of the files belongs. */
  async function asOther(words: readonly string[]) {
    const main = join(import.meta.dir, "../../src/cli/main.ts");
    const who = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    const child = Bun.spawn([...who, process.execPath, main, ...words], {
      stdout: "pipe",
      stderr: "pipe",
      env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    });
    const [stdout, stderr, status] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { status, stdout, stderr };
  }

  const typed = (command: string, path: string): string[] =>
    command
      .replace("DATA", join(path, "data"))
      .replace("OUT", join(path, "out.tar"))
      .replaceAll("ROOM", path)
      .split(" ");

  test.each(CASES)(
    "forebay %s: %s",
    async (command, _name, fault) => {
      const path = await room(fault.make);
      await expectRefused(typed(COMMANDS[command] ?? "", path), fault.says, { at: path });
    },
    LIMIT,
  );

  test.each(Object.entries(COMMANDS))(
    "forebay %s: data and key that belong to somebody else",
    async (_name, command) => {
      const path = await room();
      chmodSync(server.directory, 0o755);
      await expectRefused(typed(command, path), /is not allowed|cannot be opened|permission/, {
        at: path,
        isOther: true,
      });
    },
    LIMIT,
  );

  test.each<[command: string, sentence: string | RegExp]>([
    ["serve --port 0 --data ROOM/data.key/below", "is a file and not a directory"],
    ["serve --port 0 --data DATA --secret-key-file ROOM/none/secret.key --adopt-data", /none\/secret.key/],
    ["serve --port 0 --data DATA --commands ROOM/none.json", "none.json does not exist. Check the path."],
    ["serve --port 0 --data DATA --commands ROOM", "is a directory. Name a file in it."],
    ["serve --port 0 --data DATA --commands ROOM/data.key", "expected a JSON object like"],
    ["serve --port 0 --data DATA --docker-host tcp://127.0.0.1:1 --docker-tls ROOM/none", "does not exist"],
    ["serve --port 0 --data DATA --docker-host tcp://127.0.0.1:1 --docker-tls ROOM/tls", "not a certificate"],
    ["serve --port 0 --data DATA --host 203.0.113.7", "does not have this address."],
    ["serve --port 0 --data DATA --host no.such.host.invalid", "Choose another one with --host."],
    ["serve --port x --data DATA", '--port: expected an integer from 0 to 65535, got "x"'],
    ["serve --demo=maybe --data DATA", "--demo: expected true or false"],
    ["serve --admin-key short --data DATA", "--admin-key: expected 16 or more printable characters"],
    ["serve --webhook-allow nonsense --data DATA", "--webhook-allow: expected networks"],
    ["serve --public-url nonsense --data DATA", "--public-url: expected an address"],
    [
      "serve --secret-key-previous x --data DATA",
      "FOREBAY_SECRET_KEY_PREVIOUS is set and FOREBAY_SECRET_KEY is",
    ],
    ["serve --data DATA --database-url mysql://a/b", "--database-url: expected an address like postgres://"],
    ["serve --data DATA --database-url postgres://u:p@127.0.0.1:1/n", "cannot be reached"],
    ["serve --data DATA --database-url postgres://u:p@no.such.host.invalid/n", "cannot be reached"],
    ["compact --data ROOM/none", "has no data of Forebay"],
    ["backup ROOM/out.tar --data ROOM/none", "is not a data directory of Forebay"],
    ["backup ROOM/none/out.tar --data DATA", "does not exist"],
    ["backup ROOM --data DATA", "is a directory. Name a file"],
    ["backup ROOM/out.tar --server http://127.0.0.1:9 --key k", "no server answers at"],
    ["backup", "name the file of the backup, or - for the standard output."],
    ["restore ROOM/none.tar --data ROOM/new", "none.tar does not exist. Check the path."],
    ["restore ROOM --data ROOM/new", "is a directory"],
    ["restore ROOM/data.key --data ROOM/new", "The backup is damaged or incomplete"],
    ["restore", "name the file of the backup, or - for the standard input."],
    ["migrate-store --from DATA", "--to postgres://"],
    ["migrate-store --from ROOM/none --to postgres://u@127.0.0.1:1/n", "none"],
    ["run chat @ROOM/none.json --key k", "there is no file"],
    ["templates create t --image i --readme @ROOM/none.md --key k", "there is no file"],
    ["dev ROOM/none.py", "none.py"],
    ["worker --http http://127.0.0.1:9/ --template @ROOM/none", /none/],
  ])(
    "forebay %s",
    async (command, sentence) => {
      const path = await room((made) => {
        mkdirSync(join(made, "tls"));
        for (const file of ["ca.pem", "cert.pem", "key.pem"]) writeFileSync(join(made, "tls", file), "x");
      });
      await expectRefused(typed(command, path), sentence, { at: path });
    },
    LIMIT,
  );

  test("a port that another program has, and one that this user may not have", async () => {
    using other = Bun.listen({ hostname: "127.0.0.1", port: await freePort(), socket: { data() {} } });
    const path = await room();
    const words = ["serve", "--data", join(path, "data"), "--port", String(other.port)];
    await expectRefused(words, `Port ${other.port} is in use`, { at: path });
    other.stop();
  });

  test("a wrong key or a missing certificate stops no worker that a killed server left", async () => {
    const program = [process.execPath, join(import.meta.dir, "../fleet/worker-program.ts")];
    const own = await ServerProcess.start({ commands: { program } });
    try {
      const endpoint = await own.commandEndpoint("program");
      const job = await own.run(endpoint, { until: join(own.directory, "go") });
      const pids = await until("its worker runs the job", async () => {
        const { workerId } = await own.status(endpoint, job);
        const lines = workerId === undefined ? [] : await own.logOf(endpoint, workerId);
        return lines.some(({ line }) => line === `runs ${job}`) && own.workerProcesses(workerId);
      });
      await own.kill();
      const data = join(own.directory, "data");
      const other = join(own.directory, "other.key");
      writeFileSync(other, "another key\n");
      const words = ["serve", "--port", "0", "--data", data];
      await expectRefused([...words, "--secret-key-file", other], "cannot decrypt the secrets");
      const docker = ["--docker-host", "tcp://127.0.0.1:1", "--docker-tls", own.directory];
      await expectRefused([...words, ...docker], "ca.pem does not exist");
      expect(own.workerProcesses()).toEqual(expect.arrayContaining(pids));
      writeFileSync(join(own.directory, "go"), "");
      await own.startAgain();
    } finally {
      await own.stop();
    }
  });

  test("the data can be served afterwards", async () => {
    await server.startAgain();
    expect((await server.get("/v1/endpoints", { authorization: TEST_KEY })).status).toBe(200);
    await server.terminate();
  });
});
