import asyncio

import runpod

everyone_is_here = asyncio.Event()
here = []


async def handler(job):
    here.append(job["id"])
    if len(here) == 4:
        everyone_is_here.set()
    await everyone_is_here.wait()
    return {"met": here}


runpod.serverless.start({"handler": handler, "concurrency_modifier": lambda current: 4})
