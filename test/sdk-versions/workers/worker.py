"""One handler for all cases. The environment names its form, and the input of a job says what it does."""

import asyncio
import ctypes
import os
import time

import runpod


def begin(job):
    with open("executions", "a") as executions:
        executions.write(job["id"] + "\n")


def pause(wish):
    if wish.get("holdsLock"):
        # Through PyDLL the C library is called with the interpreter's lock held: no other thread runs.
        ctypes.PyDLL(None).sleep(int(wish["seconds"]))
    else:
        time.sleep(wish["seconds"])


def result(wish):
    return "\ud800" if wish.get("cannotBeEncoded") else {"slept": wish["seconds"], "text": "Grüße 😀"}


def blocking(job):
    begin(job)
    pause(job["input"])
    return result(job["input"])


async def waiting(job):
    begin(job)
    await asyncio.sleep(job["input"]["seconds"])
    return result(job["input"])


def yielding(job):
    begin(job)
    for part in range(3):
        if part > 0:
            time.sleep(job["input"]["seconds"])
        yield {"part": part}


HANDLERS = {"sync": blocking, "async": waiting, "generator": yielding}
concurrency = int(os.environ["CONCURRENCY"])
runpod.serverless.start(
    {
        "handler": HANDLERS[os.environ["FORM"]],
        "concurrency_modifier": lambda _: concurrency,
        "return_aggregate_stream": True,
    }
)
