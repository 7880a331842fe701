import runpod


def handler(job):
    wish = job["input"]
    if "raise" in wish:
        raise ValueError(wish["raise"])
    if "letters" in wish:
        return "x" * wish["letters"]
    if "job" in wish:
        return {"job": job}
    return wish["return"]


runpod.serverless.start({"handler": handler})
