import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ENDPOINT_MEMBERS } from "../../src/cli/endpoints/endpoint-members.ts";
import { CREATE_MEMBERS } from "../../src/cli/templates/template-members.ts";
import { CREATE_ENDPOINT } from "../../src/http/manage/endpoint-schema.ts";
import { PLACEMENT_FIELDS } from "../../src/http/manage/placement-fields.ts";
import { CREATE_TEMPLATE_OF_OPERATOR } from "../../src/http/manage/template-schema.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";

describe("the commands for endpoints and templates", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start();
  });
  afterEach(() => server.stop());

  const start = (args: readonly string[], more: { isInTerminal?: boolean; input?: string } = {}) =>
    new ForebayCommand(args, { env: server.env, ...more });
  const forebay = (...args: string[]): Promise<string> => start(args).output();
  const json = async (...args: string[]) => JSON.parse(await forebay(...args, "--json"));
  /** The record that a command with warnings prints. */
  const warned = async (...args: string[]) => {
    const { status, stdout } = await start([...args, "--json"]).ended();
    expect(status).toBe(0);
    const { warnings, ...record } = JSON.parse(stdout);
    expect(warnings).not.toBeEmpty();
    return record;
  };
  const fault = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await start(args).ended();
    expect([status, stdout]).toEqual([2, ""]);
    return stderr;
  };

  test("every member of an endpoint or a template that has an effect has a flag", () => {
    const flagsOf = (members: object): string[] =>
      Object.values(members).map(({ member }: { member: string }) => member);
    const placed = new Set([...Object.keys(PLACEMENT_FIELDS), "computeType"]);
    const effective = Object.keys(CREATE_ENDPOINT.shape).filter((member) => !placed.has(member));
    expect(["name", ...flagsOf(ENDPOINT_MEMBERS)].toSorted()).toEqual(effective.toSorted());
    expect([...new Set(["name", ...flagsOf(CREATE_MEMBERS)])].toSorted()).toEqual(
      Object.keys(CREATE_TEMPLATE_OF_OPERATOR.shape).toSorted(),
    );
  });

  test("endpoints create sends all the flags, and the members behind the name", async () => {
    const flags = `--env A=1 --env B=x=y --workers-min 1 --workers-max 5 --idle-timeout 1m
      --scaler request-count --scaler-value 7 --gpus 2 --gpu-type L4 --gpu-type T4 --vcpus 8 --shm-mb 512
      --host-label eu --release-surge 2 --release-pace 3 --paused --execution-timeout 10s --ttl 1h
      --run-retention 2h --runsync-retention 90s --rate-limit run=5000/1000
      --rate-limit purge-queue=5 --max-queued-jobs 10 --max-queued-bytes 1000
      --webhook-retries 4 --webhook-header X-Team:vision`.split(/\s+/);
    const members = ["minCudaVersion=12.4", 'dataCenterIds:=["EU"]', "workersMax:=4"];
    const made = await warned("endpoints", "create", "chat", ...members, ...flags);
    expect(made).toMatchObject({
      name: "chat",
      env: {
        A: "1",
        B: "x=y",
      },
      workersMin: 1,
      workersMax: 5,
      idleTimeout: 60,
      scalerType: "REQUEST_COUNT",
      scalerValue: 7,
      gpuCount: 2,
      gpuTypeIds: ["L4", "T4"],
      vcpuCount: 8,
      shmSizeInMb: 512,
      hostLabel: "eu",
      releaseSurge: 2,
      releasePace: 3,
      isPaused: true,
      executionTimeoutMs: 1e4,
      ttlMs: 36e5,
      runRetentionMs: 7_200_000,
      runsyncRetentionMs: 9e4,
      rateLimits: {
        run: {
          requests: 5e3,
          concurrent: 1e3,
        },
        "purge-queue": { requests: 5 },
      },
      maxQueuedJobs: 10,
      maxQueuedBytes: 1e3,
      webhookRetries: 4,
      webhookHeaders: { "X-Team": "***" },
      minCudaVersion: "12.4",
      dataCenterIds: ["EU"],
    });
    expect(await json("endpoints", "show", made.id)).toEqual(made);

    const changed = await json("endpoints", "update", made.id, "releasePace:=null", "--name", "talk");
    expect(changed).toMatchObject({ name: "talk", workersMax: 5, env: { A: "1", B: "x=y" } });
    expect(changed).not.toHaveProperty("releasePace");
    expect(await forebay("endpoints", "resume", made.id)).not.toContain("PAUSED");
    expect(await forebay("endpoints", "pause", made.id)).toMatch(/^id +\S+\nname +talk\nstate +PAUSED\n/);
  });

  test("members without effect are named on stderr, and the answer is on stdout", async () => {
    const sent = ["minCudaVersion=12.4", "workersMax:=4", "--gpus", "2"];
    const { status, stdout, stderr } = await start(["endpoints", "create", "chat", ...sent]).ended();
    expect([status, stdout]).toEqual([0, expect.stringContaining("0 to 4")]);
    expect(stderr.trim().split("\n").toSorted()).toEqual([
      "gpuCount: It has no effect. Forebay starts no workers for this endpoint.",
      "minCudaVersion: It has no effect. Forebay does not know the CUDA versions of its machines.",
    ]);
  });

  test("templates come from flags and files, and a readme from a file", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "template.json");
    const readme = join(directory.path, "README.md");
    await writeFile(file, '{"imageName": "a/b:1", "volumeInGb": 3, "category": "CPU"}');
    await writeFile(readme, "# Whisper\nSpeech to text.\n");
    const flags = ["--image", "a/b:2", "--readme", `@${readme}`, "--port", "80/http", "--disk", "7"];
    const command = ["--start-command", "python -u 'my handler.py'", "--public"];
    const made = await warned("templates", "create", "whisper", `@${file}`, ...flags, ...command);
    expect(made).toMatchObject({
      name: "whisper",
      imageName: "a/b:2",
      category: "CPU",
      volumeInGb: 3,
      containerDiskInGb: 7,
      ports: ["80/http"],
      dockerStartCmd: ["python", "-u", "my handler.py"],
      isPublic: true,
      readme: "# Whisper\nSpeech to text.\n",
    });
    expect(await json("templates", "update", made.id, "--private")).toMatchObject({ isPublic: false });
    expect(await forebay("templates", "show", made.id)).toEndWith("\n\n# Whisper\nSpeech to text.\n\n");
    expect(await forebay("templates", "list")).toMatch(
      /^ID +NAME +IMAGE +MINUTES +PUBLIC\n\S+ +whisper +a\/b:2/,
    );
    expect(await forebay("templates", "delete", made.id)).toBe(`${made.id} deleted\n`);
    expect(await json("templates", "list")).toEqual([]);
  });

  test("the lists have no line above 80 columns, however long the names are", async () => {
    await server.endpoint({ name: "n".repeat(191) });
    const image = `registry.example.com/${"team/".repeat(20)}worker:1`;
    await server.post("/v1/templates", { name: "t".repeat(191), imageName: image });
    for (const list of ["endpoints", "templates"]) {
      const { stdout } = await start([list, "list"], { isInTerminal: true }).ended();
      const lines = stripVTControlCharacters(stdout).trimEnd().split("\r\n");
      expect(lines.length).toBe(2);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      expect(lines[1]).toContain("…");
    }
  });

  test("what is wrong says what to do", async () => {
    const id = await server.endpoint({ name: "transcribe" });
    expect(await fault("workers", "list", "transcrbe")).toEndWith("Did you mean transcribe?\n");
    expect(await fault("logs", "far-away")).toEndWith("forebay endpoints list shows all endpoints.\n");
    expect(await fault("endpoints", "create", "a", "--env", "A")).toContain("--env takes NAME=value");
    expect(await fault("endpoints", "create", "a", "--ttl", "9")).toContain(
      "--ttl must be a duration such as",
    );
    expect(await fault("endpoints", "create", "a", "--workers-max", "x")).toContain("must be a whole number");
    expect(await fault("endpoints", "create", "a", "--rate-limit", "run")).toContain("takes run=5000/1000");
    expect(await fault("endpoints", "create", "transcribe")).toContain("transcribe");
    expect(await fault("templates", "create", "a", "--image", "a b")).toContain(
      "imageName: must be an image reference",
    );
    expect(await fault("webhooks", "redeliver", id)).toContain(
      "name one webhook by its id, or give --from and --to",
    );
    expect(await fault("registry-logins", "create", "a")).toContain("name the user: --username <name>.");
  });

  test("delete --drain lets the jobs end that run, and tells how many are left", async () => {
    const id = await server.endpoint();
    const worker = await server.worker(id);
    const job = await server.run(id);
    await worker.take(1);
    const command = start(["endpoints", "delete", id, "--drain"], { isInTerminal: true });
    await command.printed("draining: 1 running");
    await worker.done(job, { output: 1 });
    const { status, stdout } = await command.ended();
    expect([status, stdout.split("\x1b[K").at(-1)]).toEqual([0, `${id} deleted\r\n`]);
    expect((await server.get(`/v1/endpoints/${id}`)).status).toBe(404);
  });

  test("Ctrl-C ends a drain, and says how it goes on", async () => {
    const id = await server.endpoint();
    const worker = await server.worker(id);
    await server.run(id);
    await worker.take(1);
    const command = start(["endpoints", "delete", id, "--drain"], { isInTerminal: true });
    await command.printed("draining: 1 running");
    command.interrupt();
    const { status, stdout } = await command.ended();
    expect(status).toBe(130);
    expect(stdout).toContain(
      `The endpoint is paused, not deleted. To resume it: forebay endpoints resume ${id}`,
    );
    expect((await server.get(`/v1/endpoints/${id}`)).json.isPaused).toBe(true);
  });

  test("the password of a registry login comes from the standard input or a silent prompt", async () => {
    const args = ["registry-logins", "create", "ghcr", "--username", "bot"];
    const piped = await start([...args, "--json"], { input: "p1\n" }).ended();
    expect(JSON.parse(piped.stdout)).toEqual({ id: expect.any(String), name: "ghcr" });
    const refused = await start([...args, "--password", "p2"], { input: "" }).ended();
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("Unknown option")]);
    const typed = start(["registry-logins", "create", "hub", "--username", "bot"], { isInTerminal: true });
    await typed.printed("Password: ");
    typed.type("hush\x7fh3\r");
    const { status, stdout } = await typed.ended();
    expect(status).toBe(0);
    expect(stdout).toMatch(/name +hub|hub/);
    expect(stdout).not.toContain("hus");
  });
});
