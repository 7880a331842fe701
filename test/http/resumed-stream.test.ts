import { expect, setDefaultTimeout, test } from "bun:test";
import { resumedStream } from "../support/resumed-stream.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { SEED } from "../support/seed.ts";

setDefaultTimeout(60_000);

const CUTS = 1_000;

test(`a reader cut off ${CUTS} times at any byte gets every chunk once (SEED=${SEED})`, async () => {
  await using data = await temporaryDirectory();
  const server = await TestServer.start({ flags: { data: data.path } });
  const endpoint = await server.endpoint();
  const worker = await server.worker(endpoint);
  const job = await server.run(endpoint);
  await worker.take();
  const address = `${server.url}/v2/${endpoint}/stream/${job}`;
  const stream = await resumedStream({ seed: SEED, worker, job, addresses: [address], cuts: CUTS });
  expect(stream.read).toEqual(stream.put);
  // Neither would show much.
  expect(stream.put.length).toBeGreaterThan(CUTS / 2);
  expect(stream.halves).toBeGreaterThan(CUTS / 2);
  await server.stop();
});
