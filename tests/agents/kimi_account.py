"""The account that kimi signs in to: a device flow, a list of models, and a model behind it.

    kimi_account.py ALLOWED MODEL_PORT      its port is printed

The person has allowed it once the file ALLOWED is there. What is asked of the model goes on to
fake_llm.py on MODEL_PORT.
"""

import http.server
import json
import os
import sys
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    def say(self, status, value):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def do_GET(self):
        self.say(200, {"data": [{"id": "kimi-test", "context_length": 128000}]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/device_authorization"):
            uri = "https://account.test/device"
            self.say(200, {"user_code": "LAMP-OIL", "device_code": "d", "verification_uri": uri,
                           "verification_uri_complete": uri + "?user_code=LAMP-OIL",
                           "expires_in": 600, "interval": 1})  # fmt: skip
        elif self.path.endswith("/token"):
            if os.path.exists(sys.argv[1]):
                self.say(200, {"access_token": "a", "refresh_token": "r", "expires_in": 90000,
                               "scope": "", "token_type": "Bearer"})  # fmt: skip
            else:
                self.say(400, {"error": "authorization_pending"})
        else:
            path = "/v1" + self.path.removeprefix("/coding/v1")
            request = urllib.request.Request(f"http://127.0.0.1:{sys.argv[2]}{path}", body)
            request.add_header("Content-Type", "application/json")
            with urllib.request.urlopen(request) as model:
                self.send_response(200)
                self.send_header("Content-Type", model.headers["Content-Type"])
                self.end_headers()
                while chunk := model.read1():
                    self.wfile.write(chunk)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
