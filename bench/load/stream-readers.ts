import { wallClock } from "./paced-chunks.ts";

// Reads streams to their ends and prints how late their chunks were. Arguments: one JSON object.
interface Asked {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** Sent with each call; without it the calls are GET. */
  readonly body?: string;
  /** Put in the place of `$ID` in the address, one stream each. */
  readonly ids: readonly string[];
  readonly count: number;
}

const { url, headers, body, ids, count }: Asked = JSON.parse(process.argv[2] ?? "{}");
const delays: number[] = [];
await Promise.all(ids.map((id) => read(url.replace("$ID", id))));
delays.sort((a, b) => a - b);
const at = (share: number): number => delays[Math.floor(delays.length * share)] ?? 0;
console.log(JSON.stringify({ p50: at(0.5), p99: at(0.99) }));

async function read(address: string): Promise<void> {
  const response = await fetch(address, { headers, ...(body === undefined ? {} : { method: "POST", body }) });
  if (response.status !== 200) throw new Error(await response.text());
  let next = 0;
  let rest = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    const now = wallClock();
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith('data: {"')) continue;
      const event = JSON.parse(line.slice(6));
      const { n, t } = event.output ?? event;
      if (n === undefined) continue;
      if (n !== next) throw new Error(`chunk ${next} is ${n}`);
      next++;
      delays.push(now - t);
    }
  }
  if (next !== count) throw new Error(`${next} of ${count} chunks came`);
}
