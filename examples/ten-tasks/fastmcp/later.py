from fastmcp import Context, FastMCP
from mcp_types import ToolListChangedNotification

mcp = FastMCP("later")


def sale() -> str:
    """What there is today only."""
    return "half price"


@mcp.tool
async def begin(ctx: Context) -> str:
    """Begins the sale."""
    mcp.tool(sale)
    await ctx.send_notification(ToolListChangedNotification())
    return "the sale has begun"


if __name__ == "__main__":
    mcp.run()
