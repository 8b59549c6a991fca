"""The library `websockets` at a WebSocket of `hermes demo`: python wire.py PORT

Each step is printed as one JSON line with what was seen. Nothing is judged here.
"""

import asyncio
import json
import sys
import time

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

URL = f"ws://127.0.0.1:{sys.argv[1]}/mcp"
STEP_SECONDS = 15
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {
    "protocolVersion": "2024-11-05",
    "capabilities": {},
    "clientInfo": {"name": "websockets", "version": "17"},
}


def opened(**options):
    """A WebSocket; `permessage-deflate` is offered."""
    return connect(URL, **({"subprotocols": ["chat", "mcp"]} | options))


def message(number, method, params):
    """A request as text."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def modern(name, **arguments):
    """What a call needs that needs no handshake."""
    return {"name": name, "arguments": arguments, "_meta": MODERN}


def add(number):
    """A call of `add` as text."""
    return message(number, "tools/call", modern("add", a=2, b=3))


async def answer(socket, number):
    """The answer to a request; what else comes is passed over."""
    async for text in socket:
        heard = json.loads(text)
        if heard.get("id") == number:
            return heard
    return None


async def handshake():
    """What was agreed on, and what is refused."""

    async def status(**options):
        try:
            async with opened(**options):
                return None
        except InvalidStatus as refused:
            return refused.response.status_code

    async with opened() as socket:
        return {
            "protocol": socket.subprotocol,
            "extensions": socket.response.headers.get("Sec-WebSocket-Extensions"),
            "another protocol": await status(subprotocols=["graphql"]),
            "another origin": await status(origin="https://evil.example"),
        }


async def eras():
    """A call in both, over one WebSocket each."""
    async with opened() as socket:
        await socket.send(add("a"))
        first = (await answer(socket, "a"))["result"]["structuredContent"]["sum"]
    async with opened() as socket:
        await socket.send(message(0, "initialize", INITIALIZE))
        revision = (await answer(socket, 0))["result"]["protocolVersion"]
        await socket.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        await socket.send(message(1, "tools/call", {"name": "echo", "arguments": {"text": "héllo \U0001f44b"}}))
        text = (await answer(socket, 1))["result"]["content"][0]["text"]
    return {"modern": first, "legacy": revision, "text": text}


async def ping():
    """A ping comes back."""
    async with opened() as socket:
        return {"is_alive": await (await socket.ping(b"there?")) >= 0}


async def fragments():
    """One message in as many fragments as it has characters."""
    async with opened() as socket:
        await socket.send(iter(add(1)))
        return {"sum": (await answer(socket, 1))["result"]["structuredContent"]["sum"]}


async def closing():
    """The close code after something that is not to be sent."""

    async def code(*what, **how):
        async with opened() as socket:
            await socket.send(*what, **how)
            try:
                await socket.recv()
            except ConnectionClosed as closed:
                return closed.rcvd.code
        return None

    async with opened() as socket:
        await socket.close(1000)
        regular = socket.close_code
    return {
        "a close": regular,
        "binary": await code(add(1).encode()),
        "too long": await code("x" * 1_000_001),
        "too long in fragments": await code(iter(["x" * 100_000] * 11)),
        "no UTF-8": await code(b"\xff\xfe", text=True),
    }


async def pressure():
    """Whoever does not read still gets everything, and is in nobody's way."""
    async with opened(max_queue=1) as socket, opened() as other:
        for number in range(20):
            await socket.send(message(number, "tools/call", modern("big", bytes=900_000)))
        await other.send(add(1))
        meanwhile = (await answer(other, 1))["result"]["structuredContent"]["sum"]
        heard = [json.loads(await socket.recv()) for _ in range(20)]
        bytes_read = sum(len(one["result"]["content"][0]["text"]) for one in heard)
        return {"meanwhile": meanwhile, "bytes": bytes_read, "answers": len({one["id"] for one in heard})}


async def main():
    """One step after the other."""
    for run in (handshake, eras, ping, fragments, closing, pressure):
        started = time.monotonic()
        fact = {"step": run.__name__}
        try:
            async with asyncio.timeout(STEP_SECONDS):
                fact["seen"] = await run()
        except Exception as error:  # The next step goes on, and the fact says what failed.
            fact["error"] = repr(error)
        fact["ms"] = round((time.monotonic() - started) * 1000)
        print(json.dumps(fact), flush=True)


asyncio.run(main())
