// The runtime alone: it reads a body and answers, on /echo with the same body.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  async fetch(request) {
    const body = await request.bytes();
    const isEcho = request.url.endsWith("/echo");
    return new Response(isEcho ? body : '{"id":"x","status":"IN_QUEUE"}', {
      headers: { "content-type": "application/json" },
    });
  },
});
console.log(`ready ${server.port}`);
