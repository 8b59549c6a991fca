"""The client of the Python SDK, version 2: python python2.py FOLDER legacy|modern"""

import sys
import warnings
from contextlib import asynccontextmanager

import anyio
from conversation import SERVER, Callbacks, converse, plain
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from mcp.types import (
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
)

# The SDK warns of what the newest revision lacks; the server speaks the others too.
warnings.simplefilter("ignore")

LOG_LEVEL = "io.modelcontextprotocol/logLevel"


class Peer:
    """This version's client, in the legacy era."""

    refusal = MCPError

    def __init__(self, client):
        self.client = client
        self.server_name = client.server_info.name
        self.instructions = client.instructions

    @staticmethod
    def uri(uri):
        """URIs are texts."""
        return uri

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
            await self.client.subscribe_resource(resource)
        yield
        if resource:
            await self.client.unsubscribe_resource(resource)

    @asynccontextmanager
    async def cancelling(self):
        """A call that is cancelled at the end."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.client.call_tool, "sleep", {"ms": 600_000})
            yield
            tasks.cancel_scope.cancel()

    async def logged(self, level):
        """Asks for messages once."""
        await self.client.set_logging_level(level)
        return {}


class ModernPeer(Peer):
    """The same, in the modern era."""

    def __init__(self, client, heard):
        super().__init__(client)
        self._heard = heard

    @asynccontextmanager
    async def watch(self, resource=None, tools=False):
        """Asks for changes and hands them on as they come."""
        wanted = {"resource_subscriptions": [resource] if resource else [], "tools_list_changed": tools}

        async def pass_on(subscription):
            async for event in subscription:
                match event:
                    case ResourceUpdated():
                        self._heard.updated.add(event.uri)
                    case ToolsListChanged():
                        self._heard.changed.add(True)

        async with self.client.listen(**wanted) as subscription, anyio.create_task_group() as tasks:
            tasks.start_soon(pass_on, subscription)
            yield
            tasks.cancel_scope.cancel()

    async def logged(self, level):
        """Asks for messages with every call."""
        return {"meta": {LOG_LEVEL: level}}


async def main():
    """Connects and converses."""
    modern = sys.argv[2] == "modern"
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
        # In the modern era they belong to a subscription, and are heard there.
        if not modern and not isinstance(message, Exception):
            heard.notified(plain(message))

    client = Client(
        StdioServerParameters(**SERVER),
        mode="auto" if modern else "legacy",
        elicitation_callback=elicited,
        sampling_callback=sampled,
        list_roots_callback=roots,
        logging_callback=logged,
        message_handler=notified,
    )
    async with client:
        await converse(ModernPeer(client, heard) if modern else Peer(client), heard)


anyio.run(main)
