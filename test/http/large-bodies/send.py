"""Sends a body of so many bytes so many times, with http.client, and prints the statuses that it got."""

import http.client
import json
import sys
from urllib.parse import urlsplit

url, key, size, times = sys.argv[1:]
address = urlsplit(url)
body = b'{"input":{"a":"' + b"x" * int(size) + b'"}}'


def status_of():
    connection = http.client.HTTPConnection(address.hostname, address.port)
    try:
        connection.request("POST", address.path, body=body, headers={"Authorization": key})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except OSError as error:
        return type(error).__name__
    finally:
        connection.close()


print(json.dumps([status_of() for _ in range(int(times))]))
