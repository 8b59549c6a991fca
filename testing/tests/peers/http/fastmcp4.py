"""A server on FastMCP, version 4: python fastmcp4.py PORT

It serves both eras at one address, with sessions in the legacy one.
"""

import json
import sys

import anyio
from fastmcp import Context, FastMCP
from mcp.types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult, ToolListChangedNotification
from pydantic import BaseModel

server = FastMCP("fastmcp-4", version="1.0.0")
count = {"started": 0, "cancelled": 0, "touched": 0}


class Sum(BaseModel):
    """What `add` returns."""

    sum: float


class Name(BaseModel):
    """What `ask` asks for."""

    name: str


@server.tool
def add(a: float, b: float) -> Sum:
    """Adds two numbers"""
    return Sum(sum=a + b)


@server.tool
async def progress(n: int, interval_ms: float, ctx: Context) -> str:
    """Reports progress step by step"""
    for step in range(1, n + 1):
        await anyio.sleep(interval_ms / 1000)
        await ctx.report_progress(step, n)
    return "done"


@server.tool
async def sleep(ms: float) -> str:
    """Waits, unless it is cancelled before"""
    count["started"] += 1
    try:
        await anyio.sleep(ms / 1000)
    except anyio.get_cancelled_exc_class():
        count["cancelled"] += 1
        raise
    return "done"


@server.tool(output_schema=None)
def counters() -> str:
    """Tells how often `sleep` was started and cancelled"""
    return json.dumps(count)


@server.tool(output_schema=None)
async def ask(message: str, ctx: Context) -> str | InputRequiredResult:
    """Asks the user for a name, in either era's way"""
    if ctx.request_context.protocol_version != "2026-07-28":
        answer = await ctx.elicit(message, Name)
        return f"Hello, {answer.data.name}" if answer.action == "accept" else answer.action
    answer = (ctx.input_responses or {}).get("name")
    if answer is None:
        question = ElicitRequestFormParams(message=message, requested_schema=Name.model_json_schema())
        return InputRequiredResult(input_requests={"name": ElicitRequest(params=question)})
    return f"Hello, {answer.content['name']}" if answer.action == "accept" else answer.action


@server.tool(output_schema=None)
async def touch() -> str:
    """Changes the counter"""
    count["touched"] += 1
    return str(count["touched"])


@server.tool(output_schema=None)
async def announce(ctx: Context) -> str:
    """Tells that the list of tools has changed"""
    await ctx.send_notification(ToolListChangedNotification())
    return "told"


@server.resource("peer://counter")
def counter() -> str:
    """How often it was touched"""
    return str(count["touched"])


@server.prompt
def greet(name: str) -> str:
    """Asks for a greeting"""
    return f"Please greet {name}."


server.run("http", port=int(sys.argv[1]), log_level="WARNING", show_banner=False)
