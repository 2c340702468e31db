"""Drives the page of a replica with conflicts of which other devices wrote both versions, in a real browser.

others.py ADDRESS REPLICA
  ADDRESS is what `filesinki ui REPLICA` printed. `one` and `two` have conflicts of `b` and `c`. While the page is open,
  this script makes a conflict of REPLICA itself in `own`, with the replica `b` beside it.
"""

import os
import subprocess

from browser import run

ROWS = """
    const texts = (row) => [...row.children].map((cell) => cell.textContent);
    const rows = [...document.querySelectorAll('main tr')].map(texts);
    return rows.length === arguments[0] && rows.map(([name, , ...versions]) => [name, ...versions])"""


def drive(browser, address, replica):
    def sync(root):
        subprocess.run([os.environ["FILESINKI"], "sync", "-q", root], check=False)

    browser.ask("POST", "/url", {"url": address})
    browser.shows("Activity")

    # The columns have the names of the devices: neither version is from here.
    browser.go("Conflicts")
    rows = browser.until("the conflicts are listed", ROWS, 3)
    assert rows == [["Path", "c", "b"], ["one", "5 B", "7 B"], ["two", "5 B", "7 B"]], rows
    browser.press("one")
    heads = browser.until("both versions are shown", """
        const heads = [...document.querySelectorAll('.sides h3')].map((head) => head.textContent);
        return heads.length === 3 && heads""")
    assert heads == ["Base", "c", "b"], heads
    browser.shows("Keep the version of c")
    browser.shows("Keep the version of b")

    # Beside a conflict with a version from here, each row says whose its versions are.
    for root, text in ((replica, "mine\n"), ("b", "another\n")):
        with open(os.path.join(root, "own"), "w") as file:
            file.write(text)
        sync(root)
    sync(replica)
    browser.go("Conflicts")
    rows = browser.until("the new one is listed", ROWS, 4)
    assert rows[0] == ["Path", "One version", "The other one"], rows
    assert rows[1:] == [
        ["one", "c: 5 B", "b: 7 B"], ["two", "c: 5 B", "b: 7 B"], ["own", "Here (a): 5 B", "There (b): 8 B"]], rows

    # All can be resolved with the version of one device where each conflict has one of it.
    browser.shows("resolve them one by one")
    browser.press("own")
    browser.press("Keep the version from here")
    browser.shows("Resolved.")
    browser.go("Conflicts")
    browser.press("Resolve all 2 with the version of c")
    browser.press("Yes, keep the version of c")
    browser.shows("2 of 2 conflicts resolved.")
    browser.shows("No open conflicts.")
    for name in ("one", "two"):
        with open(os.path.join(replica, name)) as file:
            assert file.read() == "by-c\n", name
    assert not [name for name in os.listdir(replica) if "(conflict " in name], os.listdir(replica)


run(drive)
