import { serve } from "bun";
import { expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { ListReader } from "../support/list-reader.ts";
import { until } from "../support/until.ts";

/** More than the sockets between a server and a reader that takes nothing can hold. */
const BYTES = 19_000_000;

// Answers send parts of payloads whose memory is freed when the reader disconnects (src/http/answer-room.ts).
test.each([100, 99_999, 262_144])(
  "the runtime keeps no piece of %i bytes whose reader has stalled",
  async (size) => {
    const payload = Buffer.alloc(BYTES, "x");
    let yielded = 0;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      while (yielded < BYTES) {
        const piece = payload.subarray(yielded, yielded + size);
        yielded += piece.length;
        yield piece;
      }
    }
    const server = serve({ port: 0, fetch: () => new Response(pieces()) });
    const reader = new ListReader(server.url.href, "/", "x");
    try {
      await reader.stall();
      await until("no more is sent", async () => {
        const before = yielded;
        await pause(50);
        return yielded === before;
      });
      const sent = yielded;
      expect(sent).toBeLessThan(BYTES);
      payload.fill("y");
      reader.resume();
      await reader.end();
      expect(reader.marks).toBe(sent);
    } finally {
      reader.close();
      await server.stop(true);
    }
  },
);
