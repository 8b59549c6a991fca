from dataclasses import dataclass

from fastmcp import Context, FastMCP
from fastmcp.server.elicitation import AcceptedElicitation

mcp = FastMCP("question")


@dataclass
class Guest:
    name: str
    seats: int


@mcp.tool
async def book(ctx: Context) -> str:
    """Books a table."""
    match await ctx.elicit("Who is coming?", Guest):
        case AcceptedElicitation(data=guest):
            return f"{guest.seats} seats for {guest.name}"
        case _:
            return "no table"


if __name__ == "__main__":
    mcp.run()
