"""Drives the page of `filesinki ui` in a real browser.

page.py ADDRESS REPLICA OTHER
  ADDRESS is what `filesinki ui REPLICA` printed; OTHER is a second replica of the store, which this script
  syncs while the page is open. $FILESINKI is the program. Exits with 0 if the page does what it should, else
  with 1 and says what it did not do.
"""

import json
import os
import subprocess

from browser import ESCAPE, run


def read(*names):
    with open(os.path.join(*names), "rb") as file:
        return file.read()


def drive(browser, address, replica, other):
    filesinki = os.environ["FILESINKI"]
    browser.ask("POST", "/url", {"url": address})
    browser.until("the page is ready", "return document.documentElement.dataset.ready === 'yes'")
    assert "#" not in browser.script("return location.href").replace("#/", ""), "the token stays in the address"

    # A conflict is shown side by side, and resolved with the text that a person wrote.
    # Each version has the name of its device, as text.
    here, there = "Here (a)", "There (<i>desk)"
    browser.go("Conflicts")
    heads = browser.until("the conflicts are listed", """
        return [...document.querySelectorAll('main thead th')].map((head) => head.textContent)""")
    assert heads == ["Path", "Since", here, there], heads
    browser.press("plan.txt")
    browser.shows("Proposed merge")
    heads = browser.script("return [...document.querySelectorAll('.sides h3')].map((head) => head.textContent)")
    assert heads == ["Base", here, there], heads
    browser.shows("The version from there is in place; the one from here is in plan (conflict a ")
    sides = browser.script(
        "return [...document.querySelectorAll('.sides .side pre')].map((side) => side.innerText)")
    assert [side.split("\n")[0] for side in sides] == ["one", "ONE", "eins"], sides
    # A line that both changed has a sign of its own, one that was deleted here has one in the base.
    changed = browser.script("""
        return [...document.querySelectorAll('.sides [data-sign]')].map((line) => line.dataset.sign + line.innerText)""")
    assert changed == ["!one", "−three", "!ONE", "!eins"], changed
    browser.press("Use this text")
    # What is left is said beside the button, and the cursor is there.
    alert = browser.until("markers are left", "return document.querySelector('main [role=alert]').innerText")
    assert alert == "There are conflict markers left, the first in line 1. Remove them first.", alert
    marker = browser.script("""
        const area = document.activeElement;
        return area.value.slice(area.selectionStart, area.selectionEnd);""")
    assert marker.startswith("<<<<<<<") and "\n" not in marker, marker
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
    assert rows == [["/size", "1", "5", "7"], ["/tab", "1", "2", "1"], ["/wrap", "1", "1", "3"]], rows
    heads = browser.script("return [...document.querySelector('table').tHead.rows[0].cells].map((head) => head.textContent)")
    assert heads == ["Member", "Base", here, there], heads
    browser.shows("What the merge decides, by place")
    browser.shows("conflict: ")
    # Markers would stand around all of one line. What is no JSON any more is used after a question only.
    browser.shows("Where both sides changed the same it has the version from here: /size. All else is merged. Check that, then use it.")
    text = browser.script("return document.getElementById('merge').value")
    assert text == '{"size":5,"tab":2,"wrap":3}\n', text
    browser.script("document.getElementById('merge').value = '{\"size\":5'")
    browser.press("Use this text")
    browser.shows("The content cannot be read as JSON, and the versions of the conflict can: line 1 ends too early. Use it nevertheless?")
    assert read(replica, "settings.json") == b'{"size":7,"tab":1,"wrap":3}\n'
    browser.press("Yes, use it")
    browser.shows("It is resolved.")
    assert read(replica, "settings.json") == b'{"size":5'
    browser.press("Undo")
    browser.shows("The conflict is open again.")

    # A table is shown by cell, a database by table, row and cell, pictures side by side.
    for name, caption, expected in [
        ("table.csv", "What differs, by cell", ["1, count", "0", "100", "200"]),
        ("stock.db", "What the merge decides, by table, row and cell", ["item", "1", "count", "0", "100", "200"]),
    ]:
        browser.go("Conflicts")
        browser.press(name)
        row = browser.until(f"'{caption}' is shown", """
            const found = [...document.querySelectorAll('table')].find((table) => table.caption.innerText === arguments[0]);
            return found && [...found.tBodies[0].rows].flatMap((row) => [...row.cells].map((cell) => cell.innerText))""", caption)
        assert row[:len(expected)] == expected, row
    browser.go("Conflicts")
    browser.press("photo.png")
    reds = browser.until("the pictures are shown", """
        const pictures = [...document.querySelectorAll('.sides img')].filter((picture) => picture.naturalWidth === 8);
        return pictures.length === 3 && pictures.map((picture) => {
            const canvas = document.createElement('canvas').getContext('2d');
            canvas.drawImage(picture, 0, 0);
            return canvas.getImageData(0, 0, 1, 1).data[0];
        })""")
    assert reds == [0, 100, 200], reds

    # All conflicts are resolved at once, after a second press. Escape is no such press.
    browser.go("Conflicts")
    browser.press("Resolve all 5 with the version from there")
    browser.until("it asks", "return document.activeElement.innerText === 'Yes, keep the version from there'")
    browser.keys(ESCAPE)
    assert browser.focused() == "Resolve all 5 with the version from there", browser.focused()
    browser.press("Resolve all 5 with the version from there")
    browser.press("Yes, keep the version from there")
    browser.shows("5 of 5 conflicts resolved.")
    assert read(replica, "plan.txt") == b"eins\ntwo\nthree\n" and read(replica, "settings.json") == b'{"size":7,"tab":1,"wrap":3}\n'

    # Where many commits came later, older ones are read until that of the deletion.
    browser.script("""
        const real = call;
        window.limits = [];
        call = async (name, values) => {
            const result = await real(name, values);
            if (name !== 'log') return result;
            window.limits.push(values.limit);
            return values.limit === 500 ? { ...result, lines: [{ ...result.lines[0], sequence: 1000 }] } : result;
        };
        window.restoreCall = () => { call = real; };""")
    browser.go("Deleted files")
    deletion = browser.until("who deleted it is known", """
        const row = [...document.querySelectorAll('main tbody tr')].find((row) => row.cells[0].innerText === 'folder/x');
        return row && row.cells[2].innerText !== '' && row.cells[2].innerText;""")
    assert deletion == "a", deletion
    limits = browser.script("window.restoreCall(); return window.limits;")
    # A change that comes meanwhile has the view load once more.
    assert limits[0] == 500 and 990 < limits[-1] < 1000 and len(set(limits)) == 2, limits
    browser.go("Conflicts")

    # A deleted folder comes back. The second click of a double click does nothing.
    browser.go("Deleted files")
    pressed = browser.until("the deleted folder is listed", """
        const button = document.querySelector('[aria-label="Restore folder"]');
        button?.dispatchEvent(new MouseEvent('click', { detail: 2 }));
        return button && `pressed: ${button.getAttribute('aria-disabled')}`;""")
    assert pressed == "pressed: null", "the second click of a double click restores something"
    deletion = browser.until("who deleted it is known", """
        const row = [...document.querySelectorAll('main tbody tr')].find((row) => row.cells[0].innerText === 'folder/x');
        return row.cells[2].innerText !== '' && row.cells[2].innerText;""")
    assert deletion == "a", deletion
    browser.press("Restore folder")
    browser.press("Yes, restore 2 files")
    browser.shows("Restored 2 files.")
    assert read(replica, "folder", "x") == b"x\n" and read(replica, "folder", "y") == b"y\n"

    # Of a folder that is there, what was deleted in it comes back. Its count is that of files.
    row = browser.until("the folder is listed", """
        const row = document.querySelector('[aria-label="Restore living"]')?.closest('tr');
        return row && [...row.cells].map((cell) => cell.innerText);""")
    assert row[:2] == ["living", "2"], row
    browser.press("Restore living")
    browser.press("Yes, restore 2 files")
    browser.until("living has no deleted files", "return !document.querySelector('[aria-label=\"Restore living\"]')")
    browser.shows("Restored 2 files.")
    assert read(replica, "living", "old", "x") == b"x\n" and read(replica, "living", "y") == b"y\n"

    # The conflict copies that were resolved are no deleted files.
    browser.shows("No deleted files.")

    # What waits on both sides is shown, and what happens elsewhere is shown without a reload.
    for folder, name in [(other, "live.txt"), (replica, "unsent.txt")]:
        with open(os.path.join(folder, name), "w") as file:
            file.write("live\n")
    subprocess.run([filesinki, "sync", other], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    browser.go("Overview")
    browser.shows("Activity")
    browser.shows("Changed here, not yet sent (1)")
    browser.shows("unsent.txt")
    browser.shows("behind, until the next sync")
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
    browser.keys(ESCAPE)
    assert browser.focused() == "Show version 1", browser.focused()
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

    # A folder leads to the commits that changed something in it.
    browser.script("location.hash = pathHash('versions', { path: 'living' })")
    browser.shows("Commits in living")
    browser.shows("living/y")
    browser.shows("living/old/x")
    assert browser.script(r"return visible('a\n\u202eb')") == r"a\x0a\xe2\x80\xaeb"

    # Two versions of one content are not called equal, and a renamed file was not deleted.
    words = browser.script("""
        const line = (mode, modified) => ({ content: 'c', mode, modified });
        const first = line('0644', '1');
        return [line('0755', '1'), line('0644', '2'), line('0644', '1'), { ...first, content: 'd' }].map((other) => sameContentWords(first, other))""")
    assert words == ["Only the mode differs: 644 and 755.", "Only the time differs.", None, None], words
    words = browser.script("return [{ moved_to: 'new' }, {}].map((more) => versionWords({ kind: 'tombstone', ...more }))")
    assert words == ["renamed to new", "deleted"], words
    words = browser.script("""
        return ['--passphrase-file FILE', '--key-file FILE', undefined].map((moved_option) =>
            movedNote({ root: '/r', moved_to: '/n', moved_option }).querySelector('code').textContent)""")
    follow = "filesinki remote set --root /r /n"
    assert words == [follow + " --passphrase-file FILE", follow + " --key-file FILE", follow], words
    words = browser.script("""
        return commitWords({ renamed: 1, paths: ['new'], renames: [{ path: 'new', moved_from: 'old' }] }).textContent""")
    assert words == "1 renamedold → new", words
    words = browser.script("""
        return commitWords({ modified: 1, added: 0, deleted: 0, renamed: 0, paths: ['new'],
            renames: [{ path: 'new', moved_from: 'old', edited: true }] }).textContent""")
    assert words == "1 modifiedold → new, edited", words

    # A reload of any view says which replica it is.
    browser.go("History")
    browser.ask("POST", "/refresh", {})
    browser.until("the replica is named", "return document.getElementById('place').textContent.includes('as \"a\"')")
    browser.go("Space")

    # Space leads into the folders. Its table counts what is deleted, too.
    browser.shows("by what all their versions take in the store, deleted ones too")
    browser.press("folder/")
    browser.shows("Space in folder")
    browser.press("folder/x")
    browser.shows("Versions of folder/x")

    # A renamed file leads to its versions before the rename, and these to those since.
    subprocess.run([filesinki, "mv", "-q", "--root", replica, "folder/x", "folder/moved"], check=True)
    browser.go("History")
    browser.script("""
        const field = document.getElementById('path');
        field.value = session.root + '/folder/moved';
        field.form.requestSubmit();""")
    browser.shows("The versions before the rename: folder/x")
    browser.press("folder/x")
    browser.shows("The versions since the rename: folder/moved")

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

    # One that was cut or mistyped is not called used.
    last = "1" if address[-1] == "0" else "0"
    for given, title in [
        (address[:-3], "This address is not complete"), (address.split("#")[0], "This address is not complete"),
        (address[:-1] + last, "This address is not the printed one"),
    ]:
        browser.ask("POST", "/url", {"url": "about:blank"})
        browser.ask("POST", "/url", {"url": given})
        browser.shows(title)


run(drive)
