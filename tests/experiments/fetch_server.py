# SPDX-License-Identifier: Apache-2.0
"""fetch_server.py FOLDER PORT_FILE: serves FOLDER's files on 127.0.0.1, well or badly, as the first part of a path says, until
its standard input ends. Writes its port to PORT_FILE, and each request's path and range to FOLDER/requests."""
import http.server
import os
import sys
import threading
import time

FOLDER, PORT_FILE = sys.argv[1:3]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body, length=None, headers=()):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def do_GET(self):
        how, name = self.path.strip("/").split("/", 1)
        span = self.headers.get("Range", "")
        with open(os.path.join(FOLDER, "requests"), "a", encoding="utf-8") as log:
            log.write(f"{self.path} {span}\n")
        path = os.path.join(FOLDER, name)
        body = open(path, "rb").read() if os.path.exists(path) else b""
        begin = int(span[6:].split("-")[0]) if span.startswith("bytes=") else 0
        if how == "page":
            self.answer(200, b"\n<!DOCTYPE html><p>Sign in to the network</p>")
        elif how == "loop":
            self.answer(302, b"", headers=[("Location", self.path)])
        elif how == "tofile":
            self.answer(302, b"", headers=[("Location", "file://" + path)])
        elif how == "moved":
            self.answer(302, b"", headers=[("Location", "/good/" + name)])
        elif how == "wrong":
            self.answer(200, bytes(len(body)))
        elif how == "longer":
            self.answer(200, body + b"more")
        elif how == "cut":  # the length of all, and half of it
            self.answer(200, body[: len(body) // 2], length=len(body))
            self.close_connection = True
        elif how == "stall":
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:10])
            self.wfile.flush()
            time.sleep(30)
        elif how == "nolength":  # half of it, and no word of more
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif how == "elsewhere" and begin > 0:
            self.answer(206, body[:10], headers=[("Content-Range", f"bytes 0-9/{len(body)}")])
        elif how == "norange" or begin == 0 and how == "good":
            self.answer(200, body)
        elif how in ("good", "end") and begin >= len(body):
            self.answer(416, b"", headers=[("Content-Range", f"bytes */{len(body)}")])
        elif how == "good" and begin < len(body):
            self.answer(206, body[begin:], headers=[("Content-Range", f"bytes {begin}-{len(body) - 1}/{len(body)}")])
        else:
            self.answer(404, b"no such file")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(PORT_FILE + ".partial", "w", encoding="utf-8") as port:
    port.write(str(server.server_address[1]))
os.rename(PORT_FILE + ".partial", PORT_FILE)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
