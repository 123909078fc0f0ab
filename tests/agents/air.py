"""Stands between the client and an agent, and has the client be one that the agent suggests prompts to: its adapter
does so for `_meta.jetbrains.air` alone, which is another client's. Only `initialize` is changed.

    air.py COMMAND ARGS...
"""

import json
import subprocess
import sys
import threading

agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)


def pass_on():
    for line in sys.stdin.buffer:
        if b'"initialize"' in line:
            message = json.loads(line)
            meta = message["params"]["clientCapabilities"].setdefault("_meta", {})
            meta["jetbrains"] = {"air": {"version": 1, "capabilities": []}}
            line = json.dumps(message).encode() + b"\n"
        agent.stdin.write(line)
        agent.stdin.flush()
    agent.stdin.close()


threading.Thread(target=pass_on, daemon=True).start()
sys.exit(agent.wait())
