"""Drives the page of `filesinki ui` in a real browser.

page.py ADDRESS REPLICA OTHER
  ADDRESS is what `filesinki ui REPLICA` printed; OTHER is a second replica of the store, which this script
  syncs while the page is open. $FILESINKI is the program. Exits with 0 if the page does what it should, else
  with 1 and says what it did not do.
"""

import json
import os
import subprocess

from browser import run


def read(*names):
    with open(os.path.join(*names), "rb") as file:
        return file.read()


def drive(browser, address, replica, other):
    filesinki = os.environ["FILESINKI"]
    browser.ask("POST", "/url", {"url": address})
    browser.until("the page is ready", "return document.documentElement.dataset.ready === 'yes'")
    assert "#" not in browser.script("return location.href").replace("#/", ""), "the token stays in the address"

    # A conflict is shown side by side, and resolved with the text that a person wrote.
    browser.go("Conflicts")
    browser.press("plan.txt")
    browser.shows("Proposed merge")
    sides = browser.script(
        "return [...document.querySelectorAll('.sides .side pre')].map((side) => side.innerText)")
    assert [side.split("\n")[0] for side in sides] == ["one", "ONE", "eins"], sides
    changed = browser.script("return [...document.querySelectorAll('.sides .added')].map((line) => line.innerText)")
    assert changed == ["ONE", "eins"], changed
    browser.press("Use this text")
    browser.shows("There are conflict markers left")
    browser.script("document.getElementById('merge').value = 'both\\ntwo\\n'")
    browser.press("Use this text")
    browser.shows("It is resolved.")
    assert read(replica, "plan.txt") == b"both\ntwo\n"
    browser.press("Undo")
    browser.shows("The conflict is open again.")
    browser.shows("Proposed merge")
    browser.press("Keep the version from here")
    browser.shows("It is resolved.")
    assert read(replica, "plan.txt") == b"ONE\ntwo\n"
    browser.press("Undo")
    browser.shows("The conflict is open again.")

    # A conflict in a format with names shows which ones differ.
    browser.go("Conflicts")
    browser.press("settings.json")
    browser.shows("What differs, by member")
    rows = browser.until("a member is listed", """
        return [...document.querySelector('table').querySelectorAll('tbody tr')].map((row) =>
            [...row.children].map((cell) => cell.innerText))""")
    assert rows == [["/size", "1", "5", "7"]], rows
    browser.shows("What the merge decides, by place")
    browser.shows("conflict: ")

    # All conflicts are resolved at once, after a second press.
    browser.go("Conflicts")
    browser.press("Resolve all 2 with the version from there")
    browser.press("Yes, keep the version from there")
    browser.shows("2 of 2 conflicts resolved.")
    assert read(replica, "plan.txt") == b"eins\ntwo\n" and read(replica, "settings.json") == b'{"size":7}\n'

    # A deleted folder comes back.
    browser.go("Deleted files")
    browser.press("Restore folder")
    browser.shows("Restored.")
    assert read(replica, "folder", "x") == b"x\n" and read(replica, "folder", "y") == b"y\n"

    # What happens elsewhere is shown without a reload.
    browser.go("Overview")
    browser.shows("Activity")
    with open(os.path.join(other, "live.txt"), "w") as file:
        file.write("live\n")
    subprocess.run([filesinki, "sync", other], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([filesinki, "sync", replica], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    browser.shows("live.txt")

    # Without the store, the page says what is wrong and what to do.
    store = os.path.join(os.path.dirname(os.path.abspath(replica)), "store")
    os.rename(store, store + "-away")
    browser.press("Sync now")
    browser.until("the notice says it",
                  "return document.getElementById('notice').innerText.includes('Mount the disk')")
    os.rename(store + "-away", store)

    # Hostile names and contents are texts.
    name = "<img src=x onerror=\"document.title='owned'\">.html"
    browser.go("History")
    browser.press(name)
    browser.shows("Versions of")
    browser.press("Show version 1")
    browser.shows("<script>document.title='owned'</script>")
    assert "owned" not in browser.script("return document.title")
    assert browser.script("return document.querySelectorAll('main img, main script, main iframe').length") == 0

    # Each view says what it is, and each control has a name.
    for view in ["Overview", "Conflicts", "History", "Deleted files", "Devices", "Space"]:
        browser.go(view)
        nameless = browser.script("""
            return [...document.querySelectorAll('button, a, select, textarea, table')].filter((element) => {
                const label = element.id && document.querySelector(`label[for="${element.id}"]`);
                const caption = element.querySelector('caption');
                return !(element.getAttribute('aria-label') || label || caption || element.textContent.trim());
            }).map((element) => element.outerHTML)""")
        assert nameless == [], nameless
        assert browser.script("return document.querySelector('nav [aria-current=page]').innerText") == view

    # Nothing failed in the page, and no request left it.
    errors = [line["message"] for line in browser.log("browser") if line["level"] == "SEVERE"]
    errors = [line for line in errors if "/call/side" not in line]
    assert errors == [], errors
    origin = browser.script("return location.origin")
    for line in browser.log("performance"):
        message = json.loads(line["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            assert url.startswith((origin + "/", "blob:" + origin, "data:")), url

    # The address works once.
    browser.ask("POST", "/window/new", {"type": "window"})
    handles = browser.ask("GET", "/window/handles")
    browser.ask("POST", "/window", {"handle": handles[-1]})
    browser.ask("POST", "/url", {"url": address})
    browser.shows("This address was used already")


run(drive)
