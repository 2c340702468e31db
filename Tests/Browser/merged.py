"""Drives the page of a replica with conflicts, one of which was merged by hand in place, in a real browser.

merged.py ADDRESS REPLICA
  ADDRESS is what `filesinki ui REPLICA` printed. `one`, `two` and `three` have conflicts, and no run has met what was written
  into `one` since: `by hand`. The version from here was `mine`, the other one is `other`. So it is with `four`,
  of which the version from here is in place.
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
    browser.shows("or one of their files was edited since: resolve them one by one.")
    browser.shows("in place, edited here since")
    assert "undefined" not in browser.script("return document.querySelector('main').innerText")

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
    browser.shows("What is in place was edited after it was shown here. Nothing was replaced.")
    browser.press("Keep the version in place")
    browser.shows("Resolved.")
    assert read("two") == "later\n"

    # A resolve that is undone leaves it of neither side.
    browser.press("Undo")
    browser.shows("The conflict is open again.")
    browser.shows("What was edited here since is in place")
    assert read("two") == "later\n"

    # A text does not replace it without a question, either.
    browser.go("Conflicts")
    browser.press("three")
    browser.shows("Proposed merge")
    write = """
        const area = document.getElementById('merge');
        area.value = 'written\\n';
        area.dispatchEvent(new Event('input'));"""
    browser.script(write)
    with open(os.path.join(replica, "three"), "w") as file:
        file.write("later\n")
    browser.press("Use this text")
    browser.shows("What is in place was edited after it was shown here. Replace it by this text? It stays in the history.")
    assert read("three") == "later\n"
    browser.press("Show what is in place")
    browser.shows("What was edited here since is in place")
    browser.press("Show the text written before")
    assert browser.script("return document.getElementById('merge').value") == "written\n"
    browser.press("Use this text")
    browser.press("Yes, replace it")
    browser.shows("Resolved.")
    assert read("three") == "written\n"

    # The version from here may be the one in place.
    browser.go("Conflicts")
    browser.shows("8 B, edited since, not yet synced")
    browser.press("four")
    browser.shows("The version from here is in place")
    heads = browser.until("both versions are shown", """
        const heads = [...document.querySelectorAll('.sides h3')].map((head) => head.textContent);
        return heads.length === 3 && heads""")
    assert heads == ["Base", "Here (a), edited since, not yet synced", "There (b)"], heads
    shown = browser.script("return document.querySelectorAll('.sides .side')[1].innerText")
    assert "by hand" in shown and "8 B" in shown, shown
    browser.press("Keep the version from there")
    browser.until("it asks", "return document.activeElement.textContent === 'Yes, replace it'")
    browser.keys(ESCAPE)
    assert read("four") == "by hand\n"
    browser.press("Keep the version from here")
    browser.shows("Resolved.")
    assert read("four") == "by hand\n"


run(drive)
