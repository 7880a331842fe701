"""
LiteLLM and instructor: each line of the input is a call, `[name, wish, base_url, key]`, each line of the
output its answer.
"""

import json
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # read from the package, not from its repository

import instructor
import litellm
import openai
from instructor.core import InstructorRetryException
from pydantic import BaseModel


class City(BaseModel):
    name: str
    people: int


def completion(wish, base_url, key):
    wish["model"] = f"openai/{wish['model']}"
    answer = litellm.completion(api_base=base_url, api_key=key, num_retries=0, **wish)
    if wish.get("stream"):
        return [piece.choices[0].delta.content for piece in answer]
    return answer.choices[0].message.model_dump(mode="json")


def embedding(wish, base_url, key):
    wish["model"] = f"openai/{wish['model']}"
    return litellm.embedding(api_base=base_url, api_key=key, **wish).data[0]["embedding"]


def city(wish, base_url, key):
    structured = instructor.from_openai(openai.OpenAI(base_url=base_url, api_key=key))
    return structured.create(response_model=City, max_retries=1, **wish).model_dump()


calls = {"litellm.completion": completion, "litellm.embedding": embedding, "instructor.create": city}

print("ready", flush=True)
for line in sys.stdin:
    name, *arguments = json.loads(line)
    try:
        told = {"returned": calls[name](*arguments)}
    except (openai.APIError, InstructorRetryException) as error:
        status = getattr(error, "status_code", None)
        told = {"raised": type(error).__name__, "status": status, "message": str(error)}
    print(json.dumps(told), flush=True)
