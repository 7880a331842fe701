"""LangChain's models of langchain-runpod: each line of the input is a call, each line of the output its outcome."""

import asyncio
import json
import sys

from langchain_runpod import ChatRunPod, RunPod

base, key, endpoint = sys.argv[1:]
where = {"api_base": base, "api_key": key, "endpoint_id": endpoint, "poll_interval": 0.02}
loop = asyncio.new_event_loop()
MODELS = {"llm": RunPod(**where, temperature=0.5), "chat": ChatRunPod(**where, temperature=0.5)}


def text_of(piece):
    return piece if isinstance(piece, str) else piece.content


async def collected(pieces):
    return [text_of(piece) async for piece in pieces]


def call(name, prompt):
    kind, method = name.split(".")
    model = MODELS[kind]
    if method == "stream":
        return [text_of(piece) for piece in model.stream(prompt)]
    if method == "astream":
        return loop.run_until_complete(collected(model.astream(prompt)))
    if method == "ainvoke":
        return text_of(loop.run_until_complete(model.ainvoke(prompt)))
    return text_of(getattr(model, method)(prompt))


for line in sys.stdin:
    try:
        outcome = {"returned": call(*json.loads(line))}
    except Exception as error:
        outcome = {"raised": type(error).__name__, "message": str(error)}
    print(json.dumps(outcome), flush=True)
