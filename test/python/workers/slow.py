import time

import runpod


def handler(job):
    time.sleep(job["input"]["seconds"])
    return job["input"]


runpod.serverless.start({"handler": handler})
