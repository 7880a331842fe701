import runpod


def words(job):
    yield from job["input"].get("text", "").split()


runpod.serverless.start({"handler": words, "return_aggregate_stream": True})
