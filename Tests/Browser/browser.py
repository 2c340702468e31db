"""A tab of a real browser, driven by chromedriver and nothing but Python's own library."""

import json
import socket
import subprocess
import sys
import time
import traceback
from urllib.error import HTTPError
from urllib.request import Request, urlopen

LIMIT = 120  # seconds for one condition, on a machine that is busy
TAB, ENTER, ESCAPE = "\uE004", "\uE007", "\uE00C"
NAME = "const name = (element) => element.getAttribute('aria-label') ?? (element.textContent.trim() || element.id);"


class Browser:
    """One tab, by the protocol of https://www.w3.org/TR/webdriver2/."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            ["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = ""
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            "--disable-background-networking", "--window-size=1200,900"]}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        ends = time.monotonic() + LIMIT
        while True:
            try:
                made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
                break
            except (ConnectionError, OSError):
                if time.monotonic() > ends or self.process.poll() is not None:
                    raise
                time.sleep(0.1)
        self.session = "/session/" + made["sessionId"]

    def ask(self, method, path, body=None):
        request = Request(f"http://127.0.0.1:{self.port}{self.session}{path}", method=method,
                          data=None if body is None else json.dumps(body).encode(),
                          headers={"Content-Type": "application/json"})
        with urlopen(request, timeout=LIMIT) as reply:
            return json.load(reply)["value"]

    def script(self, source, *values):
        return self.ask("POST", "/execute/sync", {"script": source, "args": list(values)})

    def until(self, what, source, *values):
        """Waits until a script returns something true, and returns it."""
        ends = time.monotonic() + LIMIT
        while time.monotonic() < ends:
            found = self.script(source, *values)
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"{what}: the page shows\n{self.script('return document.body.innerText')}")

    def shows(self, text):
        self.until(f"'{text}' is shown", "return document.body.innerText.includes(arguments[0])", text)

    def press(self, words):
        """Presses the first button or link with these words, by the keyboard."""
        self.until(f"'{words}' can be pressed", """
            const found = [...document.querySelectorAll('button, a')].find((element) =>
                (element.getAttribute('aria-label') ?? element.textContent) === arguments[0]);
            if (!found || found.disabled) return false;
            found.focus();
            return document.activeElement === found;
            """, words)
        self.keys(ENTER)

    def keys(self, *values):
        """Presses keys, one after the other."""
        actions = [{"type": kind, "value": value} for value in values for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def focused(self):
        return self.script(NAME + "return name(document.activeElement);")

    def check_tab(self):
        """Checks that Tab goes through all that can be pressed, opened, written into or scrolled, in its order."""
        controls = self.script(NAME + """
            const all = [...document.querySelectorAll('a, button, input, select, textarea, summary, [tabindex="0"]')];
            window.reached = [];
            document.addEventListener('focusin', (event) => window.reached.push(name(event.target)));
            all[0].focus();
            return all.map(name);""")
        self.keys(*[TAB] * (len(controls) - 1))
        reached = self.script("return window.reached")
        assert reached == controls, f"Tab reaches {reached}, and there are {controls}"

    def go(self, view):
        """Goes to a view, and waits until it is shown."""
        self.press(view)
        self.until(f"{view} is the title", "return document.querySelector('main h2')?.innerText === arguments[0]", view)

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})

    def end(self):
        try:
            if self.session:
                self.ask("DELETE", "")
        except (HTTPError, OSError):
            pass
        self.process.terminate()
        self.process.wait()


def run(drive):
    """Calls `drive` with a browser and the arguments of the program. Exits with 1, and says why, if it fails."""
    browser = Browser()
    try:
        drive(browser, *sys.argv[1:])
    except AssertionError as error:
        line = traceback.extract_tb(error.__traceback__)[-1].lineno
        print(f"{sys.argv[0]}, line {line}: {error}", file=sys.stderr)
        sys.exit(1)
    finally:
        browser.end()
