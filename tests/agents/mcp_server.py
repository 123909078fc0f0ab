"""A small MCP server with one tool, over stdio, or over HTTP with --http (its port is printed).

    mcp_server.py LOG [--http]

LOG gets a line for each thing that it was given: its variable LAMP, the header X-Lamp, each method.
"""

import http.server
import json
import os
import sys

LOG = sys.argv[1]
TOOL = {"name": "light", "description": "Lights the lamp", "inputSchema": {"type": "object", "properties": {}}}


def log(line):
    with open(LOG, "a", encoding="utf-8") as file:
        file.write(line + "\n")


def answer(message):
    method = message.get("method", "")
    log(method)
    if "id" not in message:
        return None
    results = {
        "initialize": lambda: {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "lamp", "version": "1"},
        },
        "ping": dict,
        "tools/list": lambda: {"tools": [TOOL]},
        "tools/call": lambda: {"content": [{"type": "text", "text": "there is light"}]},
    }
    said = {"jsonrpc": "2.0", "id": message["id"]}
    if method in results:
        return {**said, "result": results[method]()}
    return {**said, "error": {"code": -32601, "message": "no such method"}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        log("header " + self.headers.get("X-Lamp", ""))
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = answer(message)
        body = json.dumps(said).encode() if said else b""
        self.send_response(200 if said else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_error(405)

    do_DELETE = do_GET

    def log_message(self, *_):
        pass


if "--http" in sys.argv:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
else:
    log("variable " + os.environ.get("LAMP", ""))
    for line in sys.stdin:
        said = answer(json.loads(line))
        if said:
            print(json.dumps(said), flush=True)
