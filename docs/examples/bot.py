#!/usr/bin/env python3
"""A bot for Rookery that needs only Python's standard library. It joins a room by its link and plays either game.

    python3 bot.py http://127.0.0.1:8080/r/K7QF3M
    python3 bot.py http://127.0.0.1:8080/r/K7QF3M --against easy    # adds a server bot and starts

It ends after one game. The server lists the legal acts, so the bot knows no rules. `choose` picks one of them.
The wire contract is docs/protocol.md."""

import argparse, base64, json, os, random, socket, ssl, struct
from urllib.parse import urlsplit


def choose(state):
    """Returns a random listed act except undo and retract. A better bot would use state["table"], the open table."""
    onward = [act for act in state["actions"] if act["type"] not in ("undo", "retract")]
    return random.choice(onward or state["actions"])


class WebSocket:
    """Text messages over a WebSocket (RFC 6455), optionally logged to a file."""

    def __init__(self, link, log=None):
        self.log = log
        url = urlsplit(link)
        secure = url.scheme == "https"
        self.line = socket.create_connection((url.hostname, url.port or (443 if secure else 80)), timeout=60)
        if secure:
            self.line = ssl.create_default_context().wrap_socket(self.line, server_hostname=url.hostname)
        key = base64.b64encode(os.urandom(16)).decode()
        code = url.path.rstrip("/").rsplit("/", 1)[-1]
        asked = [f"GET /ws/{code} HTTP/1.1", f"Host: {url.netloc}", "Upgrade: websocket", "Connection: Upgrade"]
        asked += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self.line.sendall("\r\n".join(asked).encode())
        self.heard = self.line.makefile("rb")
        status = self.heard.readline().decode().strip()
        if " 101 " not in status + " ":
            raise SystemExit(f"the room cannot be joined: {status}")
        while self.heard.readline().strip():
            pass

    def send(self, message, opcode=1):
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.write_down("sent", text, opcode)
        mask = os.urandom(4)
        size = bytes([0x80 | len(text)]) if len(text) < 126 else struct.pack("!BH", 0x80 | 126, len(text))
        self.line.sendall(bytes([0x80 | opcode]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(text)))

    def write_down(self, way, text, opcode=1):
        if self.log and opcode == 1:
            print(json.dumps({way: json.loads(text)}), file=self.log, flush=True)

    def exactly(self, count):
        got = self.heard.read(count)
        if len(got) < count:
            raise SystemExit("the connection broke")
        return got

    def messages(self):
        """Yields every message of the server until it closes the connection."""
        whole = b""
        while True:
            first, size = self.exactly(2)
            if size == 126:
                size = struct.unpack("!H", self.exactly(2))[0]
            elif size > 126:
                size = struct.unpack("!Q", self.exactly(8))[0]
            part, opcode = self.exactly(size), first & 15
            if opcode == 8:
                return
            if opcode == 9:
                self.send(part, opcode=10)
            elif opcode in (0, 1):
                whole += part
                if first & 0x80:
                    self.write_down("heard", whole)
                    yield json.loads(whole)
                    whole = b""


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("link")
    words.add_argument("--name", default="Python")
    words.add_argument("--against", metavar="LEVEL", help="add a server bot of this level, and start")
    words.add_argument("--log", type=argparse.FileType("w"), help="write every message to this file, one a line")
    asked = words.parse_args()
    room = WebSocket(asked.link, asked.log)
    room.send({"type": "join", "name": asked.name, "salt": os.urandom(16).hex(), "protocol": 1, "bot": True})
    seat = answered = None
    for message in room.messages():
        kind = message["type"]
        if kind in ("welcome", "you"):
            seat = message["you"]["seat"] if kind == "welcome" else message["seat"]
            if kind == "welcome" and asked.against:
                room.send({"type": "add_bot", "level": asked.against})
                room.send({"type": "start"})
        if kind in ("rejected", "error"):
            print(kind, message["code"], message["detail"], flush=True)
        # A welcome during a game has a state too.
        state = message.get("state")
        if not state or seat is None:
            continue
        if outcome := state["table"]["outcome"]:
            print(json.dumps({"seat": seat, **outcome}))
            return room.send({"type": "leave"})
        # `next` names the decision. Each is answered once, however often its state is sent.
        if seat in state["asked"] and state["next"] != answered:
            answered = state["next"]
            room.send({"type": "act", "n": answered, "action": choose(state)})


if __name__ == "__main__":
    main()
