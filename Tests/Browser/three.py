"""Drives the page of a replica that has the conflicts of three devices at one path.

three.py ADDRESS REPLICA FIRST SECOND
  ADDRESS is what `filesinki ui REPLICA` printed. FIRST and SECOND are the devices of the conflict copies of `race.txt`;
  each file is `race DEVICE`. Exits with 0 if the page does what it should, else with 1 and says what it did not do.
"""

import os
import subprocess

from browser import run


def names(replica):
    return sorted(name for name in os.listdir(replica) if name.startswith("race"))


def errors(browser):
    return [line["message"] for line in browser.log("browser") if line["level"] == "SEVERE"]


def drive(browser, address, replica, first, second):
    browser.ask("POST", "/url", {"url": address})
    browser.until("the page is ready", "return document.documentElement.dataset.ready === 'yes'")
    browser.go("Conflicts")
    links = browser.until("both conflicts are listed", """
        const links = [...document.querySelectorAll('main tbody a')].map((link) => [link.innerText, link.hash]);
        return links.length === 2 && links;""")
    assert [name for name, _ in links] == ["race.txt", "race.txt"] and links[0][1] != links[1][1], links
    for device, (_, address_) in zip((first, second), links):
        browser.script("location.hash = arguments[0]", address_)
        browser.shows(f"in race (conflict {device} ")
        sides = browser.until("both versions are shown", """
            const sides = [...document.querySelectorAll('.sides .side pre')].slice(-2).map((side) => side.innerText);
            return sides.length === 2 && sides;""")
        assert f"race {device}" in [side.strip() for side in sides], sides
        browser.shows("This path has other open conflicts")
    before = names(replica)
    assert errors(browser) == []

    # The buttons name the devices where both versions are of others.
    label = browser.until("the buttons are there", """
        const button = [...document.querySelectorAll('main button')].find((button) =>
            button.innerText === arguments[0] || button.innerText === arguments[1]);
        return button && button.innerText;""", "Keep the version from there", f"Keep the version of {second}")
    browser.press(label)
    browser.shows("It is resolved.")
    with open(os.path.join(replica, "race.txt")) as file:
        assert file.read() == f"race {second}\n"
    assert [name for name in before if name not in names(replica)] == [
        name for name in before if f"conflict {second} " in name], names(replica)
    browser.press("Undo")
    browser.shows("The conflict is open again.")
    assert names(replica) == before, names(replica)
    # What is resolved elsewhere meanwhile is marked.
    browser.shows(f"in race (conflict {second} ")
    copy = next(name for name in before if f"conflict {second} " in name)
    subprocess.run([os.environ["FILESINKI"], "resolve", "-q", "--root", replica, copy, "--take", "committed"], check=True,
                   stdout=subprocess.DEVNULL)
    browser.shows("This conflict was resolved meanwhile.")
    browser.press("Show it again")
    browser.shows("It is resolved.")
    # A conflict that is not open any more has no sides.
    found = [message for message in errors(browser) if "/call/side" not in message or "404" not in message]
    assert found == [], found


run(drive)
