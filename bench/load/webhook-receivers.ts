// Receivers of webhooks, each on a port of its own; prints the ports. Some never answer, some answer
// after SLOW ms, some answer 500 at once. At the signal SIGUSR2 it prints how late the calls came, by kind of
// receiver: the first attempt after the end of the job, which the webhook-id says, a later one after the
// answer before it and the pause.
const [count = "", hanging = "", slow = "", failing = "", pause = ""] = process.argv.slice(2);

type Kind = "healthy" | "slow" | "failing" | "hanging";

/** How long a slow one takes, ms. */
const SLOW = 1_500;

const late: Record<Kind, { first: number[]; later: number[] }> = {
  healthy: { first: [], later: [] },
  slow: { first: [], later: [] },
  failing: { first: [], later: [] },
  hanging: { first: [], later: [] },
};
const dueAgain = new Map<string, number>();

const ports = Array.from({ length: Number(count) }, (_, index) => {
  const kind = kindOf(index);
  const { port } = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const now = Date.now();
      const id = request.headers.get("webhook-id") ?? "";
      const due = dueAgain.get(id);
      if (due === undefined) late[kind].first.push(now - Number.parseInt(id.slice(4, 13), 36));
      else late[kind].later.push(now - due);
      await request.arrayBuffer();
      dueAgain.set(id, now + Number(pause));
      if (kind === "hanging") await new Promise(() => undefined);
      if (kind === "slow") await Bun.sleep(SLOW);
      if (kind === "healthy" || kind === "slow") dueAgain.delete(id);
      return new Response(null, { status: kind === "failing" ? 500 : 200 });
    },
  });
  return port;
});
console.log(`ports ${ports.join(" ")}`);

process.on("SIGUSR2", () => {
  const rows = Object.entries(late).flatMap(([kind, { first, later }]) => [
    { kind, attempt: "first", ...summary(first) },
    { kind, attempt: "later", ...summary(later) },
  ]);
  console.log(`report ${JSON.stringify(rows)}`);
});

function kindOf(index: number): Kind {
  const kinds: readonly (readonly [Kind, string])[] = [
    ["hanging", hanging],
    ["slow", slow],
    ["failing", failing],
  ];
  let end = 0;
  for (const [kind, many] of kinds) {
    end += Number(many);
    if (index < end) return kind;
  }
  return "healthy";
}

function summary(values: number[]) {
  values.sort((a, b) => a - b);
  const at = (share: number): number => values[Math.floor((values.length - 1) * share)] ?? 0;
  return { calls: values.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
