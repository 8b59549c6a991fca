"""A server behind a WebSocket, on the library `websockets`: python server.py PORT

Its JSON is printed over several lines. The tools do what a client has to bear.
"""

import asyncio
import json
import sys

from websockets.asyncio.server import serve

REVISION = "2025-11-25"
TOOLS = ["add", "close", "crash", "garbage", "hang", "opened", "ping", "pieces", "protocol"]

# How many WebSockets were opened so far.
OPENED = 0


def pretty(answer):
    """A message as people read it, with the line breaks of another system."""
    return json.dumps(answer, indent=2).replace("\n", "\r\n")


async def called(socket, name, arguments):
    """What a tool says; `None`: nothing ever."""
    match name:
        case "add":
            return str(arguments["a"] + arguments["b"])
        case "close":
            await socket.close(arguments["code"], "come back later")
        case "crash":
            socket.transport.abort()
        case "garbage":
            await socket.send(b"\x00\x01")
        case "ping":
            return "a pong" if await (await socket.ping(b"there?")) >= 0 else "none"
        case "protocol":
            return str(socket.subprotocol)
        case "opened":
            return str(OPENED)
        case "pieces":
            return "x" * arguments["bytes"]
    return None


async def handled(socket, request):
    """The answer to a request; `None`: there is none."""
    number, params = request.get("id"), request.get("params", {})
    match request["method"]:
        case "initialize":
            info = {"name": "websockets", "version": "17"}
            result = {"protocolVersion": REVISION, "capabilities": {"tools": {}}, "serverInfo": info}
        case "ping":
            result = {}
        case "tools/list":
            result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}
        case "tools/call":
            text = await called(socket, params["name"], params.get("arguments", {}))
            if text is None:
                return None
            result = {"content": [{"type": "text", "text": text}]}
        case _:
            if number is None:
                return None
            error = {"code": -32601, "message": "Method not found"}
            return {"jsonrpc": "2.0", "id": number, "error": error}
    return {"jsonrpc": "2.0", "id": number, "result": result}


async def answered(socket, text):
    """Says the answer, a long one in fragments."""
    answer = await handled(socket, json.loads(text))
    if answer is None:
        return
    said = pretty(answer)
    await socket.send(said if len(said) < 10_000 else (said[at : at + 10_000] for at in range(0, len(said), 10_000)))


async def conversation(socket):
    """Each request is answered beside the others."""
    global OPENED
    OPENED += 1
    async with asyncio.TaskGroup() as tasks:
        async for text in socket:
            tasks.create_task(answered(socket, text))


async def main():
    """Listens until it is killed."""
    async with serve(conversation, "127.0.0.1", int(sys.argv[1]), subprotocols=["mcp"]) as server:
        await server.serve_forever()


asyncio.run(main())
