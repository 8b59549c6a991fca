from typing import Annotated

from fastmcp import FastMCP
from pydantic import Field

mcp = FastMCP("arguments")


@mcp.tool
def repeat(
    text: Annotated[str, Field(description="What to say")],
    times: Annotated[int, Field(description="How often", ge=0)],
) -> str:
    """Repeats a text."""
    return text * times


if __name__ == "__main__":
    mcp.run()
