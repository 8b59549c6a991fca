from typing import Annotated

from fastmcp import FastMCP
from pydantic import Field

mcp = FastMCP("prompt")


@mcp.prompt
def review(
    code: Annotated[str, Field(description="The code")],
    language: Annotated[str, Field(description="What it is written in")] = "code",
) -> str:
    """Asks for a review."""
    return f"Review this {language}: {code}"


if __name__ == "__main__":
    mcp.run()
