import os
import time

import runpod


def handler(job):
    time.sleep(job["input"].get("sleep", 0) / 1000)
    return {"worker": os.environ["RUNPOD_POD_ID"], "python": True}


runpod.serverless.start({"handler": handler})
