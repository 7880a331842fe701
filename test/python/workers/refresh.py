import runpod


def handler(job):
    return job["input"]


runpod.serverless.start({"handler": handler, "refresh_worker": True})
