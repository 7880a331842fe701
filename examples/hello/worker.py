import runpod


def greet(job):
    return {"greeting": f"Hello, {job['input'].get('name', 'world')}!"}


runpod.serverless.start({"handler": greet})
