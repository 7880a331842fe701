import os
import time

import runpod


def handler(job):
    print("began", job["id"], flush=True)
    while not os.path.exists(job["input"]["until"]):
        time.sleep(0.05)
    return {"until": job["input"]["until"]}


runpod.serverless.start({"handler": handler})
