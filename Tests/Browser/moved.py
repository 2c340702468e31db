"""Drives the page of a replica whose store was moved by another device, in a real browser.

moved.py ADDRESS REPLICA NEW
  ADDRESS is what `filesinki ui REPLICA` printed; NEW is where the store was moved to. `gone` was deleted in the
  replica, and was published before the move. No run of the replica has met the move yet.
"""

import os

from browser import run


def drive(browser, address, replica, new):
    root = os.path.abspath(replica)
    follow = f"filesinki remote set --root {root} {os.path.abspath(new)}"
    notice = "return document.getElementById('notice').innerText"
    browser.ask("POST", "/url", {"url": address})
    browser.shows("Activity")

    # The view says it before any run here has seen it.
    told = browser.until("the view says it before a sync", """
        return [...document.querySelectorAll('main p.bad')].map((one) => one.innerText).join()""")
    assert told.startswith("The store was moved to ") and follow in told, told

    # The run says it, and the view does from then on.
    browser.press("Sync now")
    told = browser.until("the run tells of the move", notice + ".includes('was moved') && " + notice[7:])
    assert told.startswith("Synced.\nThe store was moved to "), told
    assert follow in told, told
    browser.until("the view has a note", """
        return [...document.querySelectorAll('main p code')].some((code) => code.textContent === arguments[0])
          && document.querySelector('main p.bad').innerText.includes(' (a path of that machine). Nothing is sent to the old place.')""", follow)

    # What came back here is said first, and nothing seems to be left undone.
    browser.go("Deleted files")
    browser.press("Restore gone")
    told = browser.until("the restore is told", notice + ".includes('Restored') && !" + notice[7:]
                         + ".includes('Restoring') && " + notice[7:])
    assert told.startswith("Restored here, not yet published. The store was moved to "), told
    assert follow in told and "Restored 0" not in told, told
    assert os.path.exists(os.path.join(replica, "gone"))


run(drive)
