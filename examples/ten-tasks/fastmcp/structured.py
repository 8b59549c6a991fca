from fastmcp import FastMCP
from pydantic import BaseModel, Field

mcp = FastMCP("structured")


class Reading(BaseModel):
    city: str
    temperature: float = Field(description="In °C.")


@mcp.tool
def reading(city: str) -> Reading:
    """The last reading of a city."""
    return Reading(city=city, temperature=-3.5)


if __name__ == "__main__":
    mcp.run()
