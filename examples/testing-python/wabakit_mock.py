"""Controls the mock over HTTP. `wabakit exec --mock` sets the variables that it reads."""

import json
import os
import urllib.error
import urllib.request

BASE_URL = os.environ["WABAKIT_BASE_URL"]
API_KEY = os.environ["WABAKIT_API_KEY"]
WABA_NUMBER = os.environ["WABAKIT_WABA_NUMBER"]
PSTN_NUMBER = os.environ["WABAKIT_PSTN_NUMBER"]
ORGANIZATION = os.environ["WABAKIT_ORGANIZATION"]


def request(method, path, body=None, headers=None):
    """Returns the status and the parsed body of a response."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", **(headers or {})}
    sent = urllib.request.Request(BASE_URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(sent, timeout=30) as response:
            text = response.read()
            return response.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def call(method, path, body=None):
    """Calls an operation of `/_wabakit/openapi.json`."""
    status, result = request(method, "/_wabakit" + path, body)
    if status >= 400:
        raise AssertionError(result["message"])
    return result


def control(method, path, body=None):
    """Calls an operation for the organization of this run."""
    return call(method, f"/organizations/{ORGANIZATION}{path}", body)


def add_fault(**fault):
    """Adds a fault of deliveries: duplicate, drop, timeOut, delay, reorder or tamper."""
    return control("POST", "/delivery-faults", fault)


def lose_next_response():
    """Carries out the next create request, and resets its connection instead of responding."""
    fault = {"endpoint": "groups.create", "reset": True, "carriedOut": True}
    call("POST", f"/faults?organization={ORGANIZATION}", fault)


def simulate_call(**call):
    return control("POST", "/simulated-calls", call)


def advance(duration):
    """Moves the virtual clock, and returns when every webhook that became due has a response."""
    return control("POST", "/clock", {"advance": duration})


def wait_for_delivery(name, **match):
    return control("POST", "/waits", {"for": "delivery", "name": name, "match": match})


def subscribe(url):
    """Subscribes an endpoint to both numbers. Its token is in the URL: a live service may send nothing else."""
    for channel, number in (("PSTN", PSTN_NUMBER), ("WHATSAPP", WABA_NUMBER)):
        control("POST", "/subscriptions", {"channel": channel, "number": number, "url": url})
