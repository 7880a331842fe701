import os
import time

import runpod


def handler(job):
    runpod.serverless.progress_update(job, {"step": "halfway"})
    while not os.path.exists("go"):
        time.sleep(0.05)
    runpod.serverless.progress_update(job, {"step": "too late"})
    return "done"


runpod.serverless.start({"handler": handler})
