"""A model server of a few words. The name of the model says in which form its worker puts the answer out."""

import asyncio
import base64
import json
import struct

import runpod

WORDS = ["Grüße", " ", "😀", " and\n\n", "data: [DONE]"]
TEXT = "".join(WORDS)
LARGE = TEXT * 50_000
USAGE = {"prompt_tokens": 1, "completion_tokens": len(WORDS), "total_tokens": 1 + len(WORDS)}


def dumps(value, **options):
    return json.dumps(value, ensure_ascii=False, **options)


def chat(request, choice):
    kind = "chat.completion.chunk" if request.get("stream") else "chat.completion"
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": request["model"], "choices": [choice]}


def message(request):
    if "tools" not in request:
        return {"role": "assistant", "content": TEXT}
    # What was asked comes back, so that a client can see that it arrived.
    function = {"name": request["tools"][0]["function"]["name"], "arguments": dumps(request["tools"])}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "call-1", "type": "function", "function": function}]}


def embedding(request):
    values = [0.5, -0.25, 1.0]
    if request.get("encoding_format") != "base64":
        return values
    return base64.b64encode(struct.pack("<3f", *values)).decode()


def response(status, text):
    part = {"type": "output_text", "text": text, "annotations": []}
    output = [{"id": "m", "type": "message", "role": "assistant", "status": status, "content": [part]}]
    return {"id": "resp-1", "object": "response", "created_at": 1, "status": status, "error": None, "output": output}


def whole(route, request):
    """The answer to a call that is not streamed."""
    if route.startswith("/v1/models"):
        models = [{"id": "team/small", "object": "model", "created": 1, "owned_by": "team"}]
        return models[0] if route != "/v1/models" else {"object": "list", "data": models}
    if route == "/v1/embeddings":
        data = [{"object": "embedding", "index": 0, "embedding": embedding(request)}]
        return {"object": "list", "data": data, "model": request["model"], "usage": USAGE}
    if route == "/v1/responses":
        return response("completed", TEXT)
    if route == "/v1/completions":
        choice = {"index": 0, "text": TEXT, "finish_reason": "stop"}
        return {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": request["model"], "choices": [choice]}
    choice = {"index": 0, "message": message(request), "finish_reason": "stop"}
    return {**chat(request, choice), "usage": USAGE}


def events(route, request):
    """The events of a streamed answer: type, where it has one, and JSON."""
    if route == "/v1/responses":
        yield "response.created", {"type": "response.created", "response": response("in_progress", "")}
        for word in WORDS:
            yield "response.output_text.delta", {"type": "response.output_text.delta", "delta": word, "item_id": "m"}
        yield "response.completed", {"type": "response.completed", "response": response("completed", TEXT)}
        return
    for number, word in enumerate(WORDS, 1):
        finish = "stop" if number == len(WORDS) else None
        if route == "/v1/completions":
            yield None, {**whole(route, request), "choices": [{"index": 0, "text": word, "finish_reason": finish}]}
        elif "tools" in request:
            call = {**message(request)["tool_calls"][0], "index": 0}
            yield None, chat(request, {"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"})
            return
        else:
            yield None, chat(request, {"index": 0, "delta": {"content": word}, "finish_reason": finish})


def text_of(kind, data):
    return (f"event: {kind}\n" if kind else "") + f"data: {dumps(data)}\n\n"


def streamed(form, route, request):
    """What the worker yields."""
    told = list(events(route, request))
    done = [] if route == "/v1/responses" else ["data: [DONE]\n\n"]
    texts = [text_of(kind, data) for kind, data in told] + done
    if form == "large":
        # As an object of more than one chunk.
        return [chat(request, {"index": 0, "delta": {"content": LARGE}, "finish_reason": "stop"})]
    if form == "vllm":
        # Cut anywhere, as a socket has it.
        everything = "".join(texts)
        return [everything[at : at + 37] for at in range(0, len(everything), 37)]
    if form == "vllm-batched":
        return ["".join(texts[:1]), "".join(texts[1:3]), "".join(texts[3:])]
    if form == "vllm-parsed":
        return [[data for _, data in told[:2]], [data for _, data in told[2:]]]
    if form == "sgl":
        return texts
    if form == "sgl-pretty":
        return [f"data: {dumps(data, indent=2)}" for _, data in told] + ["data: [DONE]"]
    return [data for _, data in told]


def lines(form, answer):
    """The same of an answer that is not streamed."""
    if form.startswith("sgl"):
        return [line.strip() for line in dumps(answer, indent=2).split("\n")]
    return [answer]


async def handler(job):
    route, request = job["input"]["openai_route"], job["input"]["openai_input"]
    form = request.get("model", "vllm")
    if form == "missing":
        text = "vLLM returned HTTP 404: The model `missing` does not exist."
        yield {"error": {"message": text, "type": "NotFoundError", "code": 404}}
        return
    if form == "proxied":
        # The answer of the model server is within the text, as the public worker for vLLM has it.
        told = {"message": "it's \"too\" long", "type": "BadRequestError", "param": "prompt", "code": 400}
        text = f"vLLM returned HTTP 400: {dumps({'error': told})}"
        yield {"error": {"message": text, "type": "worker_error", "code": None}}
        return
    if form == "refused":
        yield {"object": "error", "message": "too long", "type": "BadRequestError", "param": None, "code": 400}
        return
    outputs = streamed(form, route, request) if request.get("stream") else lines(form, whole(route, request))
    for output in outputs:
        yield output
        await asyncio.sleep(0)
        if form == "late":
            raise RuntimeError("out of paint")


if __name__ == "__main__":
    runpod.serverless.start({"handler": handler, "return_aggregate_stream": True, "concurrency_modifier": lambda _: 8})
