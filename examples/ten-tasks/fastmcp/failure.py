from fastmcp import FastMCP
from fastmcp.exceptions import ToolError

mcp = FastMCP("failure")


@mcp.tool
def parse(text: str) -> int:
    """Parses a number."""
    try:
        return int(text)
    except ValueError as error:
        raise ToolError(str(error)) from error


if __name__ == "__main__":
    mcp.run()
