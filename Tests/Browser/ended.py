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

    # A version is taken also where the file in place is missing here, and what was renamed is named.
    os.rename(os.path.join(replica, "file"), os.path.join(replica, "renamed"))
    browser.press("Keep the version from here")
    browser.shows("file: It was renamed to renamed here, and that file stays; the chosen version has the old name again.")
    browser.press("Undo")
    browser.shows("The conflict is open again.")
    os.remove(os.path.join(replica, "renamed"))

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
