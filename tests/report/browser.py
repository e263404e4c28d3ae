"""A real browser for tests of the page. It is controlled over pipes, without a driver or port.

With an option, Chromium uses file descriptors 3 and 4 for its DevTools protocol. Messages are
JSON, and each ends with a NUL.
"""

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
START = """
import fcntl, os, sys
read, write = (fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3])
os.dup2(read, 3)
os.dup2(write, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find_browser():
    """Path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of a headless Chromium, with all its requests and error messages."""

    def __init__(self, path, patience=60.0):
        self.patience = patience
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        inner_in, self._out = os.pipe()
        self._in, inner_out = os.pipe()
        command = [path, *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, str(inner_in), str(inner_out), *command],
            pass_fds=(inner_in, inner_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(inner_in)
        os.close(inner_out)
        self._rest, self._number, self._session = b"", 0, None
        self.requests, self.complaints, self._loaded = [], [], False
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        with contextlib.suppress(Exception):
            self._session = None
            self.call("Browser.close")
        with contextlib.suppress(OSError):
            os.close(self._out)
            os.close(self._in)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()

    def call(self, method, **params):
        """Call a method of the protocol and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def open(self, url, width=1300, height=900):
        """Load a page and wait for it; forget the requests and errors of the page before."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.requests, self.complaints, self._loaded = [], [], False
        self.call("Page.navigate", url=url)
        while not self._loaded:
            self._note(self._next())
        self.settle()

    def settle(self):
        """Wait until the page has drawn twice."""
        self.run(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
        )

    def run(self, expression):
        """Evaluate JavaScript and return its value."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"])[:500])
        return result["result"].get("value")

    def run_in_frame(self, expression):
        """Evaluate JavaScript in the frame of the page, which is a process of its own."""
        targets = self.call("Target.getTargets")["targetInfos"]
        frame = next(t["targetId"] for t in targets if t["type"] == "iframe")
        attached = self.call("Target.attachToTarget", targetId=frame, flatten=True)
        outer, self._session = self._session, attached["sessionId"]
        try:
            return self.run(expression)
        finally:
            self._session = outer

    def key(self, key):
        """Press and release a key."""
        text = key if len(key) == 1 else {"Enter": "\r"}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if kind == "keyDown" and text else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, **extra)
        self.settle()

    def click(self, selector):
        """Click the middle of an element with the mouse."""
        x, y = self.middle(selector)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def hover(self, selector):
        """Move the mouse over an element."""
        x, y = self.middle(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def middle(self, selector):
        """Where an element is in the window, scrolled into it."""
        return self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const b = e.getBoundingClientRect();"
            "return [b.left + b.width / 2, b.top + b.height / 2]; })()"
        )

    def _next(self):
        end = time.monotonic() + self.patience
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"the browser said nothing for {self.patience:g} s")
            more = os.read(self._in, 1 << 16)
            if not more:
                raise RuntimeError("the browser has gone")
            self._rest += more
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(f"console.{params['type']}: {str(params['args'])[:500]}")
        elif method == "Log.entryAdded":
            self.complaints.append(f"{params['entry']['level']}: {params['entry']['text']}")
