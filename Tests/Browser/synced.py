"""Drives the page of a replica with conflicts whose files were edited after they had been found, and synced, in a real browser.

synced.py ADDRESS REPLICA
  ADDRESS is what `filesinki ui REPLICA` printed. `place`, `copy` and `text` have conflicts that device `b` has found; the
  version from here, `mine`, was in place, and `b` has the other one, `other`, in conflict copies. Since then `b` has written
  `by hand` in place of `place`, as a version that was received here. `left` has a conflict without a copy: `mine` is here.
"""

import os
import re
import subprocess

from browser import ESCAPE, run

HEADS = """
    const heads = [...document.querySelectorAll('.sides h3')].map((head) => head.textContent);
    return heads.length === 3 && heads"""


def drive(browser, address, replica):
    def read(name):
        with open(os.path.join(replica, name)) as file:
            return file.read()

    def write(name, text):
        with open(os.path.join(replica, name), "w") as file:
            file.write(text)

    def edit_copy(name):
        """Edits the conflict copy that the page shows, and syncs that."""
        copy = next(known for known in os.listdir(replica) if known.startswith(name + " (conflict b "))
        write(copy, "later\n")
        subprocess.run([os.environ["FILESINKI"], "sync", replica], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        browser.shows("This conflict has changed.")

    browser.ask("POST", "/url", {"url": address})
    browser.shows("Activity")

    # A conflict without a copy: what was edited here after it was shown is not replaced.
    browser.go("Conflicts")
    browser.press("left")
    browser.shows("Both sides keep their own version until it is resolved.")
    browser.until("both versions are shown", HEADS)
    write("left", "later\n")
    browser.press("Keep the version from there")
    browser.shows("What is in place was edited after it was shown here. Nothing was replaced.")
    browser.until("it is shown now", "return document.querySelectorAll('.sides .side')[1]?.innerText.includes('later')")
    assert read("left") == "later\n"
    browser.press("Keep the version from here")
    browser.shows("Resolved.")
    assert read("left") == "later\n"

    # What another device has merged by hand is shown as such, and replaced after a question only.
    browser.go("Conflicts")
    browser.shows("or one of their files was edited since: resolve them one by one.")
    browser.press("place")
    heads = browser.until("both versions are shown", HEADS)
    version = re.search(r"version (\d+)", heads[2] + heads[1])
    assert version, heads
    by = f"edited since by b (version {version[1]})"
    assert heads == ["Base", "b", f"committed (in place), {by}"], heads
    browser.press("Keep the version of b")
    browser.until("it asks", "return document.activeElement.textContent === 'Yes, replace it'")
    browser.shows(f"What is in place was edited by b (version {version[1]}) after the conflict was found. Replace it? It stays in the history.")
    browser.keys(ESCAPE)
    assert browser.focused() == "Keep the version of b", browser.focused()
    assert read("place") == "by hand\n"
    browser.press("Keep the version of b")
    browser.press("Yes, replace it")
    browser.shows("Resolved.")
    assert read("place") == "other\n"

    # A version that was edited and synced after it was shown is not taken for the one that was shown.
    browser.go("Conflicts")
    browser.press("copy")
    heads = browser.until("both versions are shown", HEADS)
    assert heads == ["Base", "Here (a)", "There (b)"], heads
    edit_copy("copy")
    browser.press("Keep the version from there")
    browser.shows("The conflict copy was edited after it was shown here. Nothing was replaced.")
    assert read("copy") == "mine\n"
    browser.until("it is shown now", "return document.querySelectorAll('.sides h3')[2]?.textContent === 'There (b), edited since'")
    browser.press("Keep the version from there")
    browser.shows("Resolved.")
    assert read("copy") == "later\n"

    # A text removes it after a question only.
    browser.go("Conflicts")
    browser.press("text")
    browser.shows("Proposed merge")
    browser.script("document.getElementById('merge').value = 'written\\n'")
    edit_copy("text")
    browser.press("Use this text")
    browser.shows("The conflict copy was edited after it was shown here. Use this text and remove the copy? It stays in the history.")
    assert read("text") == "mine\n"
    browser.press("Yes, use this text")
    browser.shows("Resolved.")
    assert read("text") == "written\n"


run(drive)
