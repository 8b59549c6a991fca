"""The client of the Python SDK, version 1, over HTTP+SSE, whose stream is cut: python cut.py URL

Each step is printed as one JSON line with what the client saw. Nothing is judged here.
"""

import json
import sys
import time
from contextlib import asynccontextmanager

import anyio
import httpx
from mcp import ClientSession
from mcp.client.sse import sse_client

URL = sys.argv[1]
STEP_SECONDS = 15
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@asynccontextmanager
async def connected():
    """A session over a stream of its own, and where that takes messages."""
    place = None

    def clients(**options):
        async def noted(request):
            nonlocal place
            if request.method == "POST":
                place = str(request.url)

        options.pop("auth", None)
        timeout = options.pop("timeout", None)
        return httpx.AsyncClient(timeout=timeout, event_hooks={"request": [noted]}, **options)

    async with sse_client(URL, httpx_client_factory=clients) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session, place


async def post(place, body):
    """The status of a POST, and the body of its answer if that has one."""
    async with httpx.AsyncClient() as http:
        answer = await http.post(place, content=body, headers={"content-type": "application/json"})
        return answer.status_code, answer.json() if answer.content else None


async def counters(session, done):
    """Asks for the counters until `done` is satisfied."""
    while True:
        counts = (await session.call_tool("counters", {})).structuredContent
        if done(counts):
            return counts


async def cut():
    """A stream ends in the middle of a call: the tool is cancelled, and the place is nobody's any more."""
    async with connected() as (other, _):
        async with connected() as (session, place):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(session.call_tool, "sleep", {"ms": 600_000})
                running = await counters(other, lambda counts: counts["started"] == 1)
                tasks.cancel_scope.cancel()
        gone = await counters(other, lambda counts: counts["cancelled"] == 1)
        status, answer = await post(place, json.dumps(PING))
        return {"running": running, "gone": gone, "status": status, "id": answer["id"]}


async def broken():
    """What is no JSON is refused, and the stream goes on."""
    async with connected() as (session, place):
        status, answer = await post(place, "{ no JSON")
        content = (await session.call_tool("echo", {"text": "still here"})).content
        return {"status": status, "code": answer["error"]["code"], "echo": content[0].text}


async def main():
    """One step after the other."""
    for run in (cut, broken):
        started = time.monotonic()
        fact = {"step": run.__name__}
        try:
            with anyio.fail_after(STEP_SECONDS):
                fact["seen"] = await run()
        except Exception as error:  # The next step goes on, and the fact says what failed.
            fact["error"] = repr(error)
        fact["ms"] = round((time.monotonic() - started) * 1000)
        print(json.dumps(fact), flush=True)


anyio.run(main)
