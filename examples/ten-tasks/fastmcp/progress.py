from fastmcp import Context, FastMCP

mcp = FastMCP("progress")


@mcp.tool
async def copy(files: list[str], ctx: Context) -> str:
    """Copies files."""
    for done, file in enumerate(files, 1):
        await ctx.report_progress(done, len(files), file)
    return "done"


if __name__ == "__main__":
    mcp.run()
