import asyncio
import os

import runpod


async def handler(job):
    print("began", job["id"], flush=True)
    try:
        while not os.path.exists(job["input"]["until"]):
            await asyncio.sleep(0.05)
    except asyncio.CancelledError:
        print("cancelled", job["id"], flush=True)
        raise
    return {"until": job["input"]["until"]}


runpod.serverless.start({"handler": handler})
