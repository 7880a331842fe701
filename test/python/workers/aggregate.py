import asyncio
import os

import runpod


async def handler(job):
    for number, word in enumerate(job["input"]["words"]):
        while number > 0 and not os.path.exists("go"):
            await asyncio.sleep(0.05)
        yield word


runpod.serverless.start({"handler": handler, "return_aggregate_stream": True})
