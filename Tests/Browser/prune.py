"""Drives the view *Space* of the page of a replica that has an old version, in a real browser.

prune.py ADDRESS REPLICA
  ADDRESS is what `filesinki ui REPLICA` printed. An old version of `big` is in a pack of its own; the device `b` has acknowledged no
  later one.
"""

import os
import re
import subprocess

from browser import run


def drive(browser, address, replica):
    def answers():
        browser.press("What would a prune free?")
        return browser.until("a prune is told of", """
            const found = [...document.querySelectorAll('main [role=status] p')].map((line) => line.textContent);
            return found.length > 0 && found""")

    def filesinki(*words):
        subprocess.run([os.environ["FILESINKI"], *words, "--root", replica], check=True)

    def again():
        """Shows the view anew, without the answer."""
        browser.go("Devices")
        browser.go("Space")

    browser.ask("POST", "/url", {"url": address})
    browser.shows("Activity")
    nothing = "With all versions of the last 30 days kept, a prune would free nothing."

    # Without rules in the settings, nothing is said of them.
    browser.go("Space")
    found = answers()
    assert found == [nothing], found

    # What is kept for a device is said, with when that ends.
    filesinki("config", "set", "-q", "prune.keep-last", "1")
    again()
    found = answers()
    assert len(found) == 2 and found[0] == nothing, found
    assert found[1].startswith("By the settings (keep-last = 1), a prune would free nothing. It keeps 1 old version for b, until a later commit"), found

    # What their rules free is said beside that, with the rules and the command.
    filesinki("devices", "forget", "-q", "b")
    again()
    found = answers()
    assert len(found) == 2 and found[0] == nothing, found
    words = r"By the settings \(keep-last = 1\), a prune would free about 40\d kB: 1 old version\. To run it: filesinki prune --root \S+"
    assert re.fullmatch(words, found[1]), found

    # So is a mistake in them, which stops a prune.
    with open(os.path.join(replica, ".filesinki.toml"), "a") as file:
        file.write("keep-dayly = 7\n")
    again()
    found = answers()
    assert len(found) == 2 and found[0] == nothing, found
    assert found[1].startswith(".filesinki.toml: Line ") and "'keep-dayly'" in found[1], found


run(drive)
