import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { CHAT, ModelServer } from "../support/model-server.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";

describe("the OpenAI route", () => {
  let at: ModelServer;
  beforeEach(async () => {
    at = await ModelServer.start();
  });
  afterEach(() => at.stop());

  describe("as a job", () => {
    test.each(["", "/sdk"])(
      "4.A sentence 6 openai: POST %s becomes a job with route and body",
      async (base) => {
        const body = '{"model":"small", "n":1.0,"tools":[{"type":"function"}],"text":"Gr\\u00fc\\u00dfe"}';
        const answer = at.server.post(at.path(CHAT, base), body);
        const { json: job, text } = await at.worker.take();
        expect(text).toContain(`"input":{"openai_route":"/v1/chat/completions","openai_input":${body}}`);
        expect(job.id).toStartWith("sync-");
        await at.worker.done(job.id, '{"output":[{"id": "chatcmpl-1","n":1.0}]}');
        const { status, headers, text: told } = await answer;
        expect([status, headers.get("content-type"), told]).toEqual([
          200,
          "application/json",
          '{"id": "chatcmpl-1","n":1.0}',
        ]);
        expect(headers.get("x-request-id")).toBe(job.id);
        expect(headers.get("ratelimit-policy")).toBe('"openai";q=2000;w=10');
      },
    );

    test.each([
      "v1/embeddings",
      "v1/responses",
      "v1/messages",
      "v1/completions",
      "v2/anything/else?api-version=1",
    ])("any path by POST: %s", async (route) => {
      const answer = at.post({ a: 1 }, route);
      const { json } = await at.worker.take();
      expect(json.input).toEqual({ openai_route: `/${route}`, openai_input: { a: 1 } });
      await at.worker.done(json.id, { output: 1 });
      expect((await answer).json).toBe(1);
    });

    test.each(["v1/models", "v1/models/meta-llama%2FLlama-3"])("models by GET: %s", async (route) => {
      const answer = at.server.get(at.path(route));
      const { json } = await at.worker.take();
      expect(json.input).toEqual({ openai_route: `/${route}`, openai_input: {} });
      await at.worker.done(json.id, { output: [{ object: "list", data: [] }] });
      expect((await answer).json).toEqual({ object: "list", data: [] });
    });
  });

  describe("not streaming", () => {
    const object = { id: "c", choices: [] };
    test.each<[string, unknown, unknown]>([
      ["an object", object, object],
      ["a list of one", [object], object],
      ["a list of lists of one", [[object]], object],
      ["JSON as text", JSON.stringify(object), object],
      ["JSON as one line in a list", [JSON.stringify(object)], object],
      [
        "JSON as lines",
        JSON.stringify(object, null, 2)
          .split("\n")
          .map((line) => line.trim()),
        object,
      ],
      ["text that is no JSON", "Hello", "Hello"],
      ["text in pieces", ["Hel", "lo"], "Hello"],
      ["several objects", [object, object], [object, object]],
      ["null", null, null],
      [
        "a response with a null error",
        { object: "response", error: null },
        { object: "response", error: null },
      ],
    ])("%s is answered as it should be", async (_name, output, expected) => {
      const { status, json } = await at.answered({ output });
      expect([status, json]).toEqual([200, expected]);
    });

    test("the yields of a generator that does not aggregate are the output", async () => {
      const answer = at.post({});
      const { id } = (await at.worker.take()).json;
      await at.worker.stream(id, { output: object });
      await at.worker.done(id, { output: [] });
      expect((await answer).json).toEqual(object);
    });

    test.each<[string, unknown, number, string]>([
      [
        "HTTP and a number in it",
        "{'message': 'vLLM returned HTTP 404: no model', 'type': 'NotFoundError', 'code': 404}",
        404,
        "vLLM returned HTTP 404: no model",
      ],
      [
        "a printed dictionary with quotes",
        `{"message": "it's HTTP 400: bad", 'type': 'BadRequestError'}`,
        400,
        "it's HTTP 400: bad",
      ],
      [
        "a status that a worker was answered",
        "Request to /v1/models failed with status 404",
        404,
        "Request to /v1/models failed with status 404",
      ],
      [
        "what the public SDK makes of an exception",
        JSON.stringify({
          error_type: "<class 'ValueError'>",
          error_message: "too long",
          error_traceback: "secret",
        }),
        500,
        "too long",
      ],
      ["any other text", "out of paint", 500, "out of paint"],
      ["a code beyond those of errors", "HTTP 200 it said", 500, "HTTP 200 it said"],
    ])("a FAILED job is an error with a status: %s", async (_name, error, status, message) => {
      const { status: told, json, headers } = await at.answered({ error });
      expect([told, json.error.message]).toEqual([status, message]);
      expect(headers.get("x-should-retry")).toBe("false");
      expect(json.error.type).toBeString();
    });

    test("an error of the model server that its worker passes on arrives unchanged", async () => {
      const error = { message: 'it\'s "too" long', type: "BadRequestError", param: "max_tokens", code: 400 };
      // As the public worker for vLLM reports it: Python's print of a text that has the JSON in it.
      const text = JSON.stringify({ error }).replaceAll("\\", "\\\\").replaceAll("'", "\\'");
      const printed = `{'message': 'vLLM returned HTTP 400: ${text}', 'type': 'worker_error', 'code': None}`;
      const { status, json } = await at.answered({ error: printed });
      expect([status, json]).toEqual([400, { error }]);
    });

    test.each<[unknown, number]>([
      [{ object: "error", message: "no model", type: "NotFoundError", param: null, code: 404 }, 404],
      [[{ object: "error", message: "too long", type: "BadRequestError", code: 400 }], 400],
      [{ error: { message: "no model", type: "NotFoundError", code: 404 } }, 404],
      [{ error: { message: "broken" } }, 500],
    ])("an output that is an error has its status: %j", async (output, status) => {
      // A lone error is what the SDK would make a failure of.
      const { status: told, json } = await at.answered({ output });
      expect([told, json.error.message]).toEqual([status, expect.any(String)]);
    });

    test("a job that is cancelled, purged or too late is an error too", async () => {
      const cancelled = at.post({});
      const { id } = (await at.worker.take()).json;
      await at.server.post(`/v2/${at.endpoint}/cancel/${id}`);
      expect((await cancelled).json.error.message).toBe("The job was cancelled.");
      const purged = at.post({});
      await until(
        "it waits",
        async () => (await at.server.get(`/v2/${at.endpoint}/health`)).json.jobs.inQueue === 1,
      );
      await at.server.post(`/v2/${at.endpoint}/purge-queue`);
      expect((await purged).json.error.message).toBe("The job was removed by purge-queue.");
      const late = at.post({});
      const job = (await at.worker.take()).json.id;
      await at.server.get(`/v2/${at.endpoint}/status/${job}?ttl=1`);
      expect((await late).json.error.message).toBe("ttl exceeded");
    });
  });

  describe("the caller goes", () => {
    async function leaves(body: string, hasBegun: boolean): Promise<void> {
      const abort = new AbortController();
      const answer = fetch(`${at.server.url}${at.path(CHAT)}`, {
        method: "POST",
        headers: { authorization: TEST_KEY },
        body,
        signal: abort.signal,
      });
      answer.catch(() => undefined);
      const { id } = (await at.worker.take()).json;
      if (hasBegun) await at.worker.stream(id, { output: "data: {}\n\n" });
      if (hasBegun) await answer;
      abort.abort();
      await until(
        "it is cancelled",
        async () => (await at.server.status(at.endpoint, id)).status === "CANCELLED",
      );
      expect((await at.worker.stops()).json).toEqual({ jobsToStop: [id] });
      const { waits } = at.server.forebay.engine;
      await until("nobody waits", () => waits.keys("chunk ").length + waits.keys("end ").length === 0);
    }

    test("while it waits for the end: its job is cancelled", () => leaves("{}", false));
    test("while it waits for the first event", () => leaves('{"stream":true}', false));
    test("in mid stream", () => leaves('{"stream":true}', true));
  });
});
