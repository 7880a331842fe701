// The bare runtime: reads a body and answers. What any server on it pays for one request.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  async fetch(request) {
    await request.bytes();
    return new Response('{"id":"x","status":"IN_QUEUE"}', {
      headers: { "content-type": "application/json" },
    });
  },
});
console.log(`ready ${server.port}`);
