"""Starts workers of one SDK version as forks of itself. What all of them import is loaded once: that makes a
start about twenty times cheaper. Each order is a line of JSON on stdin; the answer is the id of the process."""

import importlib
import json
import os
import runpy
import signal
import sys

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")

# What the versions import of other projects; the SDK itself reads its environment when it is imported.
SHARED = [
    "aiohttp", "aiohttp_retry", "asyncio", "boto3", "cpuinfo", "cryptography", "fastapi", "filelock",
    "multiprocessing", "paramiko", "requests", "tomlkit", "tqdm_loggable", "uvicorn",
]


def serve():
    """Returns in each new worker, and at the end of the orders."""
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            become_worker(order)
            return True
        print(pid, flush=True)
    return False


def become_worker(order):
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(order["directory"])
    output = os.open(order["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = [SCRIPT]


for name in SHARED:
    try:
        importlib.import_module(name)
    except ImportError:
        pass  # not every version needs every package
# Versions 1.6 and 1.7 keep a core busy while they wait; the server goes first.
os.nice(19)
# Nobody waits for the workers: the system removes those that have ended.
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("ready", flush=True)
if serve():
    runpy.run_path(SCRIPT, run_name="__main__")
