"""OpenAI's Python client: each line of the input is a call, each line of the output its answer."""

import json
import sys
from operator import attrgetter

import openai
from openai.pagination import SyncPage

base_url, key = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key=key)


def dumped(answer):
    return answer.model_dump(mode="json")


def call(name, *arguments):
    answer = attrgetter(name)(client)(*arguments[:-1], **arguments[-1])
    if arguments[-1].get("stream"):
        return [dumped(event) for event in answer]
    if isinstance(answer, SyncPage):
        return [dumped(one) for one in answer]
    return {**dumped(answer), "_request_id": answer._request_id}


for line in sys.stdin:
    try:
        told = {"returned": call(*json.loads(line))}
    except openai.APIStatusError as error:
        told = {"raised": type(error).__name__, "status": error.status_code, "message": error.body["message"]}
    except openai.APIError as error:
        told = {"raised": type(error).__name__, "message": error.message}
    print(json.dumps(told), flush=True)
