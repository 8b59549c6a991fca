from fastmcp import FastMCP

mcp = FastMCP("over_http")


@mcp.tool
def greet(name: str) -> str:
    """Greets."""
    return f"Hello, {name}"


if __name__ == "__main__":
    mcp.run(transport="http")
