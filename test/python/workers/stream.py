import runpod


def handler(job):
    for wish in job["input"]["yields"]:
        if "raise" in wish:
            raise ValueError(wish["raise"])
        yield wish["yield"]


runpod.serverless.start({"handler": handler})
