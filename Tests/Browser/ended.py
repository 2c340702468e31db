"""Drives the page of a replica while another device deletes the file in place of an open conflict, in a real browser.

ended.py ADDRESS REPLICA OTHER
  ADDRESS is what `filesinki ui REPLICA` printed; `file` has a conflict that this replica has found. OTHER is the replica of
  device `b`, which this script syncs while the page is open. $FILESINKI is the program.
"""

import os
import subprocess

from browser import run


def drive(browser, address, replica, other):
    def sync(folder):
        subprocess.run(
            [os.environ["FILESINKI"], "sync", folder], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    browser.ask("POST", "/url", {"url": address})
    browser.shows("Activity")
    browser.go("Conflicts")
    browser.press("file")
    browser.shows("The version from there is in place")

    # What is deleted here and not synced is no edit, and the message says what to do.
    os.rename(os.path.join(replica, "file"), os.path.join(replica, "..", "kept"))
    browser.press("Keep the version from here")
    browser.shows("What is in place was deleted here, and that is not synced yet. Run filesinki sync")
    os.rename(os.path.join(replica, "..", "kept"), os.path.join(replica, "file"))

    # The open view says what has ended the conflict, and so does the view that is shown again.
    sync(other)
    os.remove(os.path.join(other, "file"))
    sync(other)
    sync(replica)
    browser.shows("It was deleted by b; its conflict has ended, and ")
    browser.press("Show it again")
    browser.until("the view says it", """
        const main = document.querySelector('main').innerText;
        return main.includes('It was deleted by b; its conflict has ended, and ') && !main.includes('It is resolved.')""")
    browser.go("Conflicts")
    browser.shows("No open conflicts.")
    assert len([name for name in os.listdir(replica) if name.startswith("file (conflict ")]) == 1


run(drive)
