from fastmcp import FastMCP

mcp = FastMCP("template")

CITIES = ["Lima", "London", "Oslo"]


@mcp.resource("weather://{city}")
def weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"


@mcp.completion
def cities(reference, argument, context) -> list[str]:
    return [city for city in CITIES if city.startswith(argument.value)]


if __name__ == "__main__":
    mcp.run()
