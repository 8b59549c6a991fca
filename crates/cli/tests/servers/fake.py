"""A small server for the tests, of the legacy era unless the mode says otherwise: python3 fake.py MODE [FILE]

It answers by hand, so that it can answer wrongly. With FILE, it appends every line that it receives to it.
"""

import json
import sys

MODE = sys.argv[1]
RECORD = open(sys.argv[2], "a", encoding="utf-8") if len(sys.argv) > 2 else None

TOOL = {"name": "good", "description": "A good tool", "inputSchema": {"type": "object"}}


def say(text):
    """Writes one line, whatever it is."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def respond(request, result):
    """Answers with a result that is given as a value or, so that its text is certain, as JSON."""
    result = result if isinstance(result, str) else json.dumps(result)
    say('{"jsonrpc":"2.0","id":%s,"result":%s}' % (json.dumps(request["id"]), result))


def refuse(request, code, message):
    """Answers with an error."""
    error = {"code": code, "message": message}
    say(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}))


def named(*names):
    """Tools with these names."""
    return [TOOL | {"name": name} for name in names]


def list_tools(request):
    """The list of tools, page by page."""
    cursor = (request.get("params") or {}).get("cursor")
    if MODE == "cursor-loop":
        return {"tools": named("first" if cursor is None else "more"), "nextCursor": "again"}
    if MODE == "cursor-empty":
        if cursor is None:
            return {"tools": named("first"), "nextCursor": ""}
        return {"tools": named("second") if cursor == "" else [], "nextCursor": None}
    if MODE == "malformed":
        return {"tools": [TOOL, 7, {"name": 1}, TOOL | {"name": "last"}]}
    if MODE == "tools-no-list":
        return {"tools": {}}
    if MODE == "dangling":
        schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/None"}}}
        far = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/s.json"}}}
        near = {"type": "object", "properties": {"a": {"$ref": "file:///etc/hosts"}}}
        schemas = {"dangling": schema, "far": far, "near": near}
        return {"tools": [TOOL] + [TOOL | {"name": name, "inputSchema": it} for name, it in schemas.items()]}
    if MODE == "names":
        return {"tools": named("search", "Search", "a.b", "a_b", "天気", "x" * 128, "")}
    if MODE == "unknown-members":
        tool = '{"name":"good","inputSchema":{"type":"object"},"x-new":1.50,"big":18446744073709551616}'
        return '{"tools":[%s]}' % tool
    return {"tools": [TOOL]}


def call_tool(request):
    """What a call leads to."""
    if MODE == "dies":
        sys.stderr.write("out of cheese\n")
        sys.stderr.flush()
        sys.exit(3)
    if MODE == "hangs":
        sys.stderr.write("called\n")
        sys.stderr.flush()
        return
    if MODE == "refuses":
        refuse(request, -32050, "no cheese today")
    elif MODE == "unknown-members":
        respond(request, '{"content":[],"structuredContent":{"n":18446744073709551616},"x-new":1.50}')
    elif MODE == "names":
        name = request["params"]["name"]
        respond(request, {"content": [{"type": "text", "text": "this is <%s>" % name}]})
    else:
        respond(request, {"content": [{"type": "text", "text": "fine"}]})


def complete(request):
    """The cities of the country that is filled in already, or the countries."""
    params = request["params"]
    country = params.get("context", {}).get("arguments", {}).get("country")
    cities = {"france": ["paris", "pau"], "spain": ["palma"]}
    offered = sorted(cities) if params["argument"]["name"] == "country" else cities.get(country, [])
    values = [it for it in offered if it.startswith(params["argument"]["value"])]
    respond(request, {"completion": {"values": values}})


def get_prompt(request):
    """Where to."""
    arguments = request["params"]["arguments"]
    text = "to %s in %s" % (arguments["city"], arguments["country"])
    respond(request, {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]})


def notify(method, params):
    """Sends a notification."""
    say(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))


def listen(request):
    """A listen stream of the modern era: one change too early, the acknowledgement, one change, the end."""
    if MODE == "modern-refusal":
        return refuse(request, -32050, "nothing to hear")
    meta = {"io.modelcontextprotocol/subscriptionId": request["id"]}
    notify("notifications/prompts/list_changed", {"_meta": meta})
    if MODE == "modern-silence":
        return None
    granted = {"toolsListChanged": True}
    notify("notifications/subscriptions/acknowledged", {"notifications": granted, "_meta": meta})
    notify("notifications/tools/list_changed", {"_meta": meta})
    return respond(request, {"resultType": "complete", "_meta": meta})


def subscribe(request):
    """Grants one subscription, sends two changes once both were asked for, and goes."""
    if request["params"]["uri"] == "fake://a":
        respond(request, {})
        notify("notifications/resources/updated", {"uri": "fake://a"})
        notify("notifications/tools/list_changed", {})
    else:
        refuse(request, -32602, "not watched")


def serve(message):
    """Answers one message."""
    method = message.get("method")
    if method == "server/discover" and MODE.startswith("modern"):
        capabilities = {"tools": {"listChanged": True}}
        versions = ["2026-07-28"]
        respond(message, {"resultType": "complete", "supportedVersions": versions, "capabilities": capabilities})
    elif method == "subscriptions/listen" and MODE.startswith("modern"):
        listen(message)
    elif method == "resources/subscribe" and MODE == "changes":
        subscribe(message)
    elif method == "initialize":
        capabilities = {"tools": {}}
        if MODE == "changes":
            capabilities = {"tools": {"listChanged": True}, "resources": {"subscribe": True}}
        if MODE in ("refuses-lists", "tools-no-list", "tools-broken"):
            capabilities |= {"prompts": {}, "resources": {}}
        if MODE == "completes":
            capabilities = {"prompts": {}, "completions": {}}
        if MODE == "contents":
            capabilities = {"resources": {}}
        version = message["params"]["protocolVersion"]
        info = {"name": "fake", "version": "1"}
        respond(message, {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info})
    elif method == "ping":
        respond(message, {})
    elif method == "tools/list" and MODE == "refuses-tools":
        refuse(message, -32601, "no list of tools here")
    elif method == "tools/list" and MODE == "tools-broken":
        refuse(message, -32603, "the \x1b[31mcheese\x07 is out")
    elif method == "tools/list" and MODE == "tools-dies":
        sys.exit(3)
    elif method == "tools/list" and MODE == "tools-hang":
        return
    elif method == "prompts/list" and MODE in ("tools-no-list", "tools-broken"):
        respond(message, {"prompts": [{"name": "greet"}]})
    elif method == "prompts/list" and MODE == "completes":
        arguments = [{"name": name, "required": True} for name in ("country", "city")]
        respond(message, {"prompts": [{"name": "travel", "arguments": arguments}]})
    elif method == "completion/complete" and MODE == "completes":
        complete(message)
    elif method == "prompts/get" and MODE == "completes":
        get_prompt(message)
    elif method == "tools/list":
        respond(message, list_tools(message))
    elif method == "tools/call":
        call_tool(message)
    elif method == "resources/read" and MODE == "contents":
        contents = [{"uri": "x://1", "text": "one"}, {"uri": "x://2", "blob": "AAEC"}]
        respond(message, {"contents": contents})
    elif "id" in message and method is not None:
        refuse(message, -32601, "no such method: " + method)


def main():
    """Reads until the input ends."""
    if MODE == "dies-at-once":
        sys.stderr.write("cannot find the cheese\n")
        sys.exit(7)
    if MODE == "noise":
        say("Starting the server")
        say("Listening")
        say('{"level":"info"}')
    for line in sys.stdin:
        if RECORD:
            RECORD.write(line)
            RECORD.flush()
        if MODE == "silent":
            continue
        if MODE == "noise":
            say("more noise")
        serve(json.loads(line))
        if MODE == "changes" and "fake://b" in line:
            sys.exit(9)


main()
