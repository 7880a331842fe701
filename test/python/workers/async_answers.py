import asyncio

import runpod


async def handler(job):
    await asyncio.sleep(0)
    if "raise" in job["input"]:
        raise ValueError(job["input"]["raise"])
    return job["input"]["return"]


runpod.serverless.start({"handler": handler})
