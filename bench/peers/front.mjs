// The HTTP front of every library: a POST stores one job by a call of its own and answers its id, a GET
// answers what has become of it, as Forebay's run and status do.
import Fastify from "fastify";

/** `submit` answers an id, `result` the output of a finished job or undefined. */
export async function serveFront(port, submit, result) {
  const server = Fastify({ bodyLimit: 10_485_760 });
  server.post("/run", async (request) => ({ id: await submit(request.body), status: "IN_QUEUE" }));
  server.get("/status/:id", async (request) => {
    const { id } = request.params;
    const output = await result(id);
    return output === undefined ? { id, status: "IN_QUEUE" } : { id, output, status: "COMPLETED" };
  });
  await server.listen({ host: "127.0.0.1", port });
  console.log("ready");
}
