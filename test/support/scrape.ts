import type { TestClient } from "./test-client.ts";

/** The samples of a scrape, by name and labels as they stand: `name{a="b"}`. */
export async function scrape(client: TestClient): Promise<ReadonlyMap<string, number>> {
  const { status, text } = await client.get("/metrics");
  if (status !== 200) throw new Error(`a scrape was answered ${status}: ${text}`);
  const samples = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const end = line.lastIndexOf(" ");
    const name = line.slice(0, end);
    if (samples.has(name)) throw new Error(`${name} is there twice`);
    samples.set(name, Number(line.slice(end + 1).replace("+Inf", "Infinity")));
  }
  return samples;
}
