"""The same model server behind a worker that is no generator and does not stream."""

import runpod
from openai_forms import whole


async def handler(job):
    route, request = job["input"]["openai_route"], job["input"]["openai_input"]
    if request.get("model") == "refused":
        return {"object": "error", "message": "too long", "type": "BadRequestError", "param": None, "code": 400}
    return whole(route, request)


runpod.serverless.start({"handler": handler})
