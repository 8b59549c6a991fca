from itertools import count as numbers

from fastmcp import FastMCP

mcp = FastMCP("state")
counter = numbers(1)


@mcp.tool
def count() -> int:
    """Counts."""
    return next(counter)


if __name__ == "__main__":
    mcp.run()
