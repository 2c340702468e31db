"""Drives the page of a replica with deleted folders, in a real browser.

folders.py ADDRESS REPLICA
  ADDRESS is what `filesinki ui REPLICA` printed. `photos` was deleted with two files, `a` and `b`, after one in it,
  `old`, and another file had changed; `notes` is there, and two files in it were deleted; of `again` all
  was deleted, and made again since; `taken` was deleted, and is a file now.
"""

import os

from browser import ESCAPE, run


def drive(browser, address, replica):
    def files(folder):
        path = os.path.join(replica, folder)
        return sorted(os.listdir(path)) if os.path.isdir(path) else []

    browser.ask("POST", "/url", {"url": address})
    browser.shows("Activity")
    browser.go("Deleted files")

    # A folder of which all is there again is no question.
    browser.press("Restore again")
    browser.shows("All that was deleted in again is there again.")
    assert browser.script("return document.querySelector('[data-open]')") is None

    # In the place of a folder is a file: what `undelete` says of it.
    browser.press("Restore taken")
    browser.shows("taken: Cannot be restored: a folder was here, and a file is here now. Move that away first with")
    assert browser.script("return document.querySelector('[data-open]')") is None

    # Of a folder, the last deletion is offered beside all that was deleted in it, and nothing is done before.
    browser.press("Restore photos")
    browser.until("it asks", "return document.activeElement.textContent === 'The last deletion: 2 files'")
    offered = browser.script("return [...document.activeElement.parentElement.querySelectorAll('button')].map((one) => one.textContent)")
    assert offered == ["The last deletion: 2 files", "All 3 files", "Cancel"], offered
    browser.keys(ESCAPE)
    assert browser.focused() == "Restore photos" and files("photos") == [], files("photos")
    browser.press("Restore photos")
    browser.press("The last deletion: 2 files")
    browser.shows("Restored 2 files.")
    assert files("photos") == ["a", "b"], files("photos")

    # What is left of it needs no choice any more, and the same is so of a folder that is there.
    browser.until("one file is left", """
        return [...document.querySelectorAll('main tbody tr')].some((row) => row.cells[0].innerText === 'photos/old')""")
    browser.press("Restore notes")
    browser.until("it asks", "return document.activeElement.textContent === 'Yes, restore 2 files'")
    assert files("notes") == ["z"], files("notes")
    browser.press("Yes, restore 2 files")
    browser.shows("Restored 2 files.")
    assert files("notes") == ["x", "y", "z"], files("notes")

    # A file is what the button says.
    browser.press("Restore photos/old")
    browser.shows("Restored 1 file.")
    assert files("photos") == ["a", "b", "old"], files("photos")


run(drive)
