"""Drives the page of a replica with changes that are not sent, in a real browser.

unsent.py ADDRESS REPLICA
  ADDRESS is what `filesinki ui REPLICA` printed. Since its last run the folder `src`, with `x` and `y`, was deleted in
  the replica, `edited` was changed, and `made` was added.
"""

import os

from browser import run

ITEMS = """
    const list = [...document.querySelectorAll('main section')].find((one) => one.querySelector('h3').innerText === arguments[0]);
    return list && [...list.querySelectorAll('li')].map((item) => item.innerText);"""


def drive(browser, address, replica):
    browser.ask("POST", "/url", {"url": address})
    browser.shows("Activity")
    items = browser.until("what is deleted is counted", ITEMS, "Changed here, 3 of them deleted, not yet sent (5)")
    assert items == ["changed edited", "new made", "deleted src Bring back", "deleted src/x Bring back",
                     "deleted src/y Bring back"], items

    # One file comes back, then the rest of the folder, and no commit has that they were gone.
    browser.press("Bring back src/x")
    browser.shows("Restored 1 file.")
    items = browser.until("one file is still deleted", ITEMS, "Changed here, 1 of them deleted, not yet sent (3)")
    assert items == ["changed edited", "new made", "deleted src/y Bring back"], items
    browser.press("Bring back src/y")
    browser.until("nothing is deleted", ITEMS, "Changed here, not yet sent (2)")
    assert sorted(os.listdir(os.path.join(replica, "src"))) == ["x", "y"]


run(drive)
