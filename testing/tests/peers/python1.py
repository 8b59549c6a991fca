"""The client of the Python SDK, version 1: python python1.py FOLDER|URL

At an address it speaks HTTP+SSE, the transport of 2024-11-05.
"""

import sys
from contextlib import asynccontextmanager

import anyio
from conversation import SERVER, Callbacks, converse, plain
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.types import (
    CancelledNotification,
    CancelledNotificationParams,
    ClientNotification,
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    ServerNotification,
)
from pydantic import AnyUrl


class Peer:
    """This version's client. It knows the legacy era only."""

    refusal = McpError
    uri = AnyUrl

    def __init__(self, session, opened):
        self.client = session
        self.server_name = opened.serverInfo.name
        self.instructions = opened.instructions

    @staticmethod
    def prompt_ref(name):
        """Names a prompt."""
        return PromptReference(type="ref/prompt", name=name)

    @staticmethod
    def template_ref(uri):
        """Names a resource template."""
        return ResourceTemplateReference(type="ref/resource", uri=uri)

    @asynccontextmanager
    async def watch(self, resource=None, tools=False):
        """Changes of lists come unasked."""
        if resource:
            await self.client.subscribe_resource(AnyUrl(resource))
        yield
        if resource:
            await self.client.unsubscribe_resource(AnyUrl(resource))

    @asynccontextmanager
    async def cancelling(self):
        """A call that is cancelled at the end.

        This version forgets a cancelled call and tells the server nothing. The notification is therefore sent by
        hand, with the id that the session gives to its next request.
        """
        asleep = None

        async def sleep():
            nonlocal asleep
            asleep = self.client._request_id
            await self.client.call_tool("sleep", {"ms": 600_000})

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sleep)
            yield
            cancelled = CancelledNotification(params=CancelledNotificationParams(requestId=asleep))
            await self.client.send_notification(ClientNotification(cancelled))
            tasks.cancel_scope.cancel()

    async def logged(self, level):
        """Asks for messages once."""
        await self.client.set_logging_level(level)
        return {}


async def main():
    """Connects and converses."""
    heard = Callbacks()

    async def elicited(_context, params):
        return ElicitResult.model_validate(heard.elicited(plain(params)))

    async def sampled(_context, params):
        return CreateMessageResult.model_validate(heard.sampled(plain(params)))

    async def roots(_context):
        return ListRootsResult.model_validate(heard.roots())

    async def logged(params):
        heard.logged(plain(params))

    async def notified(message):
        if isinstance(message, ServerNotification):
            heard.notified(plain(message))

    place = sys.argv[1]
    is_url = place.startswith("http://")
    async with sse_client(place) if is_url else stdio_client(StdioServerParameters(**SERVER)) as streams:
        session = ClientSession(
            *streams,
            elicitation_callback=elicited,
            sampling_callback=sampled,
            list_roots_callback=roots,
            logging_callback=logged,
            message_handler=notified,
        )
        async with session:
            await converse(Peer(session, await session.initialize()), heard)


anyio.run(main)
