import Testing

/// `filesinki merge` as the merge driver of a real git, as the documentation has it.
@Suite("merge as git's merge driver", .onOwnThreads)
struct GitDriverTests {
    private func repository(_ base: String, _ ours: String, _ theirs: String) throws -> Machine {
        let machine = try Machine()
        let made = try machine.shell(
            """
            set -e
            export GIT_CONFIG_GLOBAL=/dev/null
            git init -q -b main r; cd r
            git config user.name t; git config user.email t@example.com
            git config merge.filesinki.driver \
                "$FILESINKI merge --markers --path %P -o %A %O %A %B"
            echo '*.json merge=filesinki' >.gitattributes
            printf '%s' '\(base)' >f.json; git add -A; git commit -qm base
            git checkout -qb other; printf '%s' '\(theirs)' >f.json; git commit -qam theirs
            git checkout -q main; printf '%s' '\(ours)' >f.json; git commit -qam ours
            """)
        try #require(made.code == 0, "\(made.talk)")
        return machine
    }

    @Test("merges what git alone cannot")
    func merges() throws {
        let machine = try repository(
            #"{"a": 1, "b": 2}"#, #"{"a": 5, "b": 2}"#, #"{"a": 1, "b": 2, "c": 3}"#)
        let merge = try machine.shell("cd r && git merge -q --no-edit other >&2 && cat f.json")
        #expect(merge.code == 0, "\(merge.talk)")
        #expect(merge.output == #"{"a": 5, "b": 2, "c": 3}"#)
    }

    @Test("a conflict is reported to git, with markers in the file")
    func conflicts() throws {
        let machine = try repository(#"{"a": 1}"#, #"{"a": 2}"#, #"{"a": 3}"#)
        let merge = try machine.shell("cd r && git merge -q --no-edit other")
        #expect(merge.code == 1)
        let state = try machine.shell("cd r && git status --porcelain && cat f.json").output
        #expect(state.hasPrefix("UU f.json\n<<<<<<< here\n{\"a\": 2}"))
    }
}
