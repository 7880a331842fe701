"""Calls the public client as told: each line of the input is a call, each line of the output its answer."""

import json
import os
import sys

import runpod

key, endpoint_id = sys.argv[1:]
# Versions before 1.8 take the key, and before 1.7 the address, in no other way.
runpod.api_key = key
runpod.endpoint_url_base = os.environ["RUNPOD_ENDPOINT_BASE_URL"]
endpoint = runpod.Endpoint(endpoint_id)
jobs = {}


def run(request):
    job = endpoint.run(request)
    jobs[job.job_id] = job
    return job.job_id


calls = {
    "run": run,
    "run_sync": endpoint.run_sync,
    "status": lambda job_id: jobs[job_id].status(),
    "output": lambda job_id, timeout=0: jobs[job_id].output(timeout=timeout),
    "stream": lambda job_id: list(jobs[job_id].stream()),
    "cancel": lambda job_id: jobs[job_id].cancel(),
    "health": endpoint.health,
    "purge_queue": endpoint.purge_queue,
}

for line in sys.stdin:
    name, *arguments = json.loads(line)
    try:
        answer = {"returned": calls[name](*arguments)}
    except Exception as error:
        answer = {"raised": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
