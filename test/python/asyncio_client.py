"""As client.py, with the asynchronous client."""

import asyncio
import json
import sys

import aiohttp
import runpod

key, endpoint_id = sys.argv[1:]
jobs = {}


async def main():
    async with aiohttp.ClientSession() as session:
        endpoint = runpod.AsyncioEndpoint(endpoint_id, session, api_key=key)

        async def run(request):
            job = await endpoint.run(request)
            jobs[job.job_id] = job
            return job.job_id

        async def stream(job_id):
            return [chunk async for chunk in jobs[job_id].stream()]

        calls = {
            "run": run,
            "status": lambda job_id: jobs[job_id].status(),
            "output": lambda job_id, timeout=0: jobs[job_id].output(timeout=timeout),
            "stream": stream,
            "cancel": lambda job_id: jobs[job_id].cancel(),
            "health": endpoint.health,
            "purge_queue": endpoint.purge_queue,
        }
        while line := await asyncio.to_thread(sys.stdin.readline):
            name, *arguments = json.loads(line)
            try:
                answer = {"returned": await calls[name](*arguments)}
            except Exception as error:
                answer = {"raised": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), flush=True)


asyncio.run(main())
