"""Drives the page of `filesinki serve --ui` in a real browser.

store.py ADDRESS TOKEN
  ADDRESS is that of the page, TOKEN may read. The store has three commits of `plan.txt`, and a file whose name and
  content are HTML. Exits with 0 if the page does what it should, else with 1 and says what it did not do.
"""

from browser import ENTER, ESCAPE, run


def sign_in(browser, token):
    browser.shows("Sign in")
    browser.script("""
        const field = document.getElementById('token');
        field.value = arguments[0];
        field.focus();""", token)
    browser.keys(ENTER)


def drive(browser, address, token):
    browser.ask("POST", "/url", {"url": address})
    browser.until("the page is ready", "return document.documentElement.dataset.ready === 'yes'")
    # Who follows a link before signing in has had no session that could end.
    for view in ["#/files", "#/"]:
        browser.script("document.querySelector('main form').dataset.old = 'yes'; location.hash = arguments[0]", view)
        browser.until("the form is shown again", "return document.querySelector('main form')?.dataset.old === undefined")
        assert browser.script("return document.getElementById('notice').innerText") == ""
    sign_in(browser, token[:-1] + ("A" if token[-1] != "A" else "B"))
    browser.shows("The token is not known here.")
    sign_in(browser, token)
    browser.until("the heading has the focus", "return document.activeElement.innerText === 'History'")
    assert browser.script("return document.getElementById('account').innerText").startswith("Token anna")
    assert browser.script("return document.cookie + localStorage.length + sessionStorage.length") == "00"

    # The buttons of all commits are in one column.
    lefts = browser.script("""
        return [...document.querySelectorAll('.commits button')].map((button) => button.getBoundingClientRect().left)""")
    assert len(lefts) == 3 and len(set(lefts)) == 1, lefts

    # The timeline opens to the changes of a commit, and those to their difference.
    browser.press("Changes of commit 3")
    browser.press("Compare version 3 of plan.txt")
    browser.shows("From version 2 to 3")
    lines = browser.script("return [...document.querySelectorAll('pre .line')].map((line) => line.innerText)")
    assert lines == ["@@ -1 +1 @@", " one", "-two", "+three"], lines

    # Tab reaches all of it. Escape closes what a button has opened, the inner first, and the button has the focus again.
    browser.check_tab()
    browser.press("Close From version 2 to 3")
    for name in ["Compare version 3 of plan.txt", "Changes of commit 3"]:
        assert browser.focused() == name, browser.focused()
        browser.keys(ESCAPE)
    assert browser.script("return document.querySelector('[data-open]')") is None

    # A session outlives a reload. Hostile names and contents are texts.
    browser.ask("POST", "/refresh", {})
    name = "<img src=x onerror=\"document.title='owned'\">.html"
    browser.go("Files")
    browser.press(name)
    browser.press("Show version 1")
    browser.shows("<script>document.title='owned'</script>")
    assert "owned" not in browser.script("return document.title")
    assert browser.script("return document.querySelectorAll('main img, main script, main iframe').length") == 0
    browser.go("Space")
    browser.shows("Growth")

    # Without the session there is nothing to see.
    browser.press("Sign out")
    browser.shows("Sign in")
    status = browser.script("""
        const request = new XMLHttpRequest();
        request.open('POST', 'call/log', false);
        request.send('{}');
        return request.status;""")
    assert status == 401, status


run(drive)
