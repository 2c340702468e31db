"""Drives the page of a replica with conflicts, one of which was merged by hand in place, in a real browser.

merged.py ADDRESS REPLICA
  ADDRESS is what `filesinki ui REPLICA` printed. `one` and `two` have conflicts, and no run has met what was written
  into `one` since: `by hand`. The version from here was `mine`, the other one is `other`.
"""

import os

from browser import ESCAPE, run


def drive(browser, address, replica):
    def read(name):
        with open(os.path.join(replica, name)) as file:
            return file.read()

    browser.ask("POST", "/url", {"url": address})
    browser.shows("Activity")

    # What was merged by hand is not resolved among all others.
    browser.go("Conflicts")
    browser.shows("or were merged by hand in place: resolve them one by one.")
    browser.shows("edited here since")

    # Neither side is what is in place. What replaces it asks first.
    browser.press("one")
    browser.shows("What was edited here since is in place")
    heads = browser.until("both versions are shown", """
        const heads = [...document.querySelectorAll('.sides h3')].map((head) => head.textContent);
        return heads.length === 3 && heads""")
    assert heads == ["Base", "Conflict copy", "In place, edited here since"], heads
    shown = browser.script("return document.querySelectorAll('.sides .side')[2].innerText")
    assert "by hand" in shown and "8 B" in shown, shown
    browser.press("Keep the version in the conflict copy")
    browser.until("it asks", "return document.activeElement.textContent === 'Yes, replace it'")
    browser.keys(ESCAPE)
    assert browser.focused() == "Keep the version in the conflict copy", browser.focused()
    assert read("one") == "by hand\n"
    browser.press("Go back to the base")
    browser.until("it asks", "return document.activeElement.textContent === 'Yes, replace it'")
    browser.keys(ESCAPE)
    assert read("one") == "by hand\n"
    browser.press("Keep the version in the conflict copy")
    browser.press("Yes, replace it")
    browser.shows("Resolved.")
    assert read("one") == "mine\n"

    # What was edited after the view was shown is refused, and the view shows it.
    browser.go("Conflicts")
    browser.press("two")
    browser.shows("The version from there is in place")
    with open(os.path.join(replica, "two"), "w") as file:
        file.write("later\n")
    browser.press("Keep the version from here")
    browser.shows("is of neither side.")
    browser.press("Keep the version in place")
    browser.shows("Resolved.")
    assert read("two") == "later\n"


run(drive)
