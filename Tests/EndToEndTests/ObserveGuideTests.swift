import Glibc
import Testing

/// What the recipes read JSON with.
private enum JSONReader {
    static let isInstalled = ["/usr/bin/jq", "/usr/local/bin/jq", "/bin/jq"].contains {
        (path: String) in access(path, X_OK) == 0
    }
}

/// The recipes of `Docs/Guide/observe.md`, run as they stand there.
@Suite(
    "The guide to observe", .onOwnThreads,
    .enabled(if: JSONReader.isInstalled, "jq is not installed"))
struct ObserveGuideTests {
    /// A machine with the replicas `a` and `notes`, and the guide's recipes as files: `1.sh`, `2.sh`
    /// and so on.
    private func machine() throws -> Machine {
        let machine = try Machine.pair("mkdir a/inbox; echo one >a/inbox/one")
        let made = try machine.shell(
            """
            set -e
            filesinki clone store notes --device notes
            awk '/^```sh/ { file = ++count ".sh"; next } /^```/ { file = "" } file { print > file }' \
                '\(Machine.package)/Docs/Guide/observe.md'
            test -s 3.sh
            """)
        try #require(made.code == 0, "\(made.talk)")
        return machine
    }

    @Test("do something with each change")
    func each() throws {
        let machine = try machine()
        // What is there already, so that it begins and ends.
        let ended = try machine.shell(
            """
            { echo two | filesinki save --root a inbox/two
              filesinki delete --root a inbox/one; } >/dev/null
            filesinki() { "$FILESINKI" "$@" --since 0 --once; }
            . ./1.sh
            """)
        #expect(
            ended.output == """
                new or changed: inbox/one
                new or changed: inbox/two
                gone: inbox/one

                """, "\(ended)")
    }

    @Test("miss nothing, do nothing twice")
    func missNothing() throws {
        let machine = try machine()
        let ended = try machine.shell(
            """
            set -e
            . ./2.sh; echo two | filesinki save --root a inbox/two >/dev/null
            . ./2.sh; . ./2.sh; filesinki delete -q --root a inbox/one >/dev/null
            . ./2.sh; cat history
            """)
        #expect(
            ended.output.split(separator: "\n") == [
                "changed inbox", "changed inbox/one", "changed inbox/two", "deleted inbox/one",
            ], "\(ended)")
        #expect(try machine.paths(in: "notes") == ["inbox", "inbox/two"])
    }

    @Test("wait for one change")
    func one() throws {
        let machine = try machine()
        let ended = try machine.shell(
            """
            filesinki() { "$FILESINKI" "$@" --since 0; }
            echo yes | "$FILESINKI" save --root a answer.txt >/dev/null
            . ./3.sh
            """)
        #expect(ended.output == "yes\n", "\(ended)")
    }
}
