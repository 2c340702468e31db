"""Drives the page of a replica with changes that are not sent, in a real browser.

unsent.py ADDRESS REPLICA
  ADDRESS is what `filesinki ui REPLICA` printed. Since its last run the folder `src`, with `x` and `y`, was deleted in
  the replica, `edited` was changed, and `made` was added. So was the folder `twice`, with `second` and the folder `empty`;
  `first` in it was deleted before, and a run has sent that.
"""

import os

from browser import run

ITEMS = """
    const list = [...document.querySelectorAll('main section')].find((one) => one.querySelector('h3').innerText === arguments[0]);
    return list && [...list.querySelectorAll('li')].map((item) => item.innerText.split(/\\s+/).join(' '));"""


def drive(browser, address, replica):
    browser.ask("POST", "/url", {"url": address})
    browser.shows("Activity")
    items = browser.until("what is deleted is counted", ITEMS, "Changed here, 6 of them deleted, not yet sent (8)")
    assert items == ["changed edited", "new made", "deleted src Bring back", "deleted src/x Bring back",
                     "deleted src/y Bring back", "deleted twice Bring back", "deleted twice/empty Bring back",
                     "deleted twice/second Bring back"], items

    # The list of deleted files has only those of a run. It says where the others are.
    browser.go("Deleted files")
    browser.shows("6 paths deleted here, not yet sent: Overview brings back what was deleted.")
    browser.go("Overview")

    # One file comes back, then the rest of the folder, and no commit has that they were gone.
    browser.press("Bring back src/x")
    browser.shows("Restored 1 file.")
    items = browser.until("one file is still deleted", ITEMS, "Changed here, 4 of them deleted, not yet sent (6)")
    assert "deleted src/y Bring back" in items and "deleted src/x Bring back" not in items, items
    browser.press("Bring back src/y")
    browser.until("the folder is back", ITEMS, "Changed here, 3 of them deleted, not yet sent (5)")
    assert sorted(os.listdir(os.path.join(replica, "src"))) == ["x", "y"]

    # A folder in which something was deleted before, and sent, asks which is meant; what comes back is what it says.
    browser.press("Bring back twice")
    browser.until("it asks", "return document.activeElement.textContent === 'The last deletion: 1 file'")
    offered = browser.script("return [...document.activeElement.parentElement.querySelectorAll('button')].map((one) => one.textContent)")
    assert offered == ["The last deletion: 1 file", "All 2 files", "Cancel"], offered
    assert not os.path.exists(os.path.join(replica, "twice"))
    browser.press("All 2 files")
    browser.shows("Restored 2 files.")
    browser.until("nothing is deleted", ITEMS, "Changed here, not yet sent (2)")
    assert sorted(os.listdir(os.path.join(replica, "twice"))) == ["empty", "first", "second"]

    # What is deleted in the folder is shown while the view is open, and when its link is followed again.
    os.remove(os.path.join(replica, "edited"))
    items = browser.until("a new deletion is listed", ITEMS, "Changed here, 1 of them deleted, not yet sent (2)")
    assert items == ["deleted edited Bring back", "new made"], items
    browser.script("unsentText = () => ''; session.unsent = '';")
    os.remove(os.path.join(replica, "made"))
    browser.go("Overview")
    browser.until("the view is read again", ITEMS, "Deleted here, not yet sent (1)")


run(drive)
