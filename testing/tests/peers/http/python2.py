"""A server on the Python SDK, version 2: python python2.py PORT

It serves both eras at one address, with sessions in the legacy one.
"""

import json
import sys
from typing import Annotated

import anyio
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.request_state import RequestStateSecurity
from mcp.types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams
from pydantic import BaseModel

COUNTER = "peer://counter"

# What the server asks is sealed with this key, which its next process has as well.
SEAL = RequestStateSecurity(keys=["0123456789abcdef0123456789abcdef"])

server = MCPServer("python-2", version="1.0.0", log_level="WARNING", request_state_security=SEAL)
count = {"started": 0, "cancelled": 0, "touched": 0}
watching = {}


class Sum(BaseModel):
    """What `add` returns."""

    sum: float


class Name(BaseModel):
    """What `ask` asks for."""

    name: str


@server.tool()
def add(a: float, b: float) -> Sum:
    """Adds two numbers"""
    return Sum(sum=a + b)


@server.tool()
async def progress(n: int, interval_ms: float, ctx: Context) -> str:
    """Reports progress step by step"""
    for step in range(1, n + 1):
        await anyio.sleep(interval_ms / 1000)
        await ctx.report_progress(step, n)
    return "done"


@server.tool()
async def sleep(ms: float) -> str:
    """Waits, unless it is cancelled before"""
    count["started"] += 1
    try:
        await anyio.sleep(ms / 1000)
    except anyio.get_cancelled_exc_class():
        count["cancelled"] += 1
        raise
    return "done"


@server.tool(structured_output=False)
def counters() -> str:
    """Tells how often `sleep` was started and cancelled"""
    return json.dumps(count)


@server.tool(structured_output=False)
def sessions() -> str:
    """Tells how many sessions there are"""
    return str(len(server.session_manager._server_instances))


async def name(message: str) -> Elicit[Name]:
    """In either era's way."""
    return Elicit(message, Name)


@server.tool(structured_output=False)
async def ask(message: str, answer: Annotated[ElicitationResult[Name], Resolve(name)]) -> str:
    """Asks the user for a name"""
    return f"Hello, {answer.data.name}" if isinstance(answer, AcceptedElicitation) else answer.action


@server.tool(structured_output=False)
async def touch(ctx: Context) -> str:
    """Changes the counter"""
    count["touched"] += 1
    await ctx.notify_resource_updated(COUNTER)
    for session in watching.values():
        await session.send_resource_updated(COUNTER)
    return str(count["touched"])


@server.resource(COUNTER)
def counter() -> str:
    """How often it was touched"""
    return str(count["touched"])


@server.prompt()
def greet(name: str) -> str:
    """Asks for a greeting"""
    return f"Please greet {name}."


# Sessions of the legacy era subscribe by a request of its own, which this level of the SDK leaves to whoever wants it.
async def subscribe(ctx, params):
    """Takes note of a session that watches the counter."""
    watching[id(ctx.session)] = ctx.session
    return EmptyResult()


async def unsubscribe(ctx, params):
    """Forgets it."""
    watching.pop(id(ctx.session), None)
    return EmptyResult()


server._lowlevel_server.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribe)
server._lowlevel_server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, unsubscribe)
server.run("streamable-http", port=int(sys.argv[1]))
