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

    /// A repository in which filesinki was installed as the driver, with the versions of a file on two branches. Each
    /// `@` becomes a zero byte.
    private func installed(
        _ name: String, _ base: String, _ ours: String, _ theirs: String
    ) throws -> Machine {
        let machine = try Machine()
        for (version, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
            try machine.write(text, to: version)
        }
        let made = try machine.shell(
            """
            set -e
            export GIT_CONFIG_GLOBAL=/dev/null
            for version in base ours theirs; do
                tr @ '\\000' <$version >text; mv text $version
            done
            mkdir bin; ln -s "$FILESINKI" bin/filesinki
            git init -q -b main r; cd r
            git config user.name t; git config user.email t@example.com
            filesinki merge --install-git-driver
            cp ../base \(name); git add -A; git commit -qm base
            git checkout -qb other; cp ../theirs \(name); git commit -qam theirs
            git checkout -q main; cp ../ours \(name); git commit -qam ours
            """)
        try #require(made.code == 0, "\(made.talk)")
        return machine
    }

    private static func notebook(_ source: String, _ output: String, _ count: Int) -> String {
        #"""
        {"cells": [{"id": "a", "source": ["\#(source)"], "outputs": ["\#(output)"], "execution_count": \#(count)}]}

        """#
    }

    private static let documents:
        [(name: String, base: String, ours: String, theirs: String, merged: String)] = [
            (
                "f.json", "{\"a\": 1, \"b\": 2}\n", "{\"a\": 5, \"b\": 2}\n",
                "{\"a\": 1, \"b\": 6}\n",
                "{\"a\": 5, \"b\": 6}\n"
            ),
            ("f.yml", "a: 1\nb: 2\n", "a: 5\nb: 2\n", "a: 1\nb: 6\n", "a: 5\nb: 6\n"),
            (
                "f.csv", "id,x,y\n1,a,b\n", "id,x,y\n1,A,b\n", "id,x,y\n1,a,B\n", "id,x,y\n1,A,B\n"
            ),
            (
                "f.ipynb", notebook("f(1)", "1", 1), notebook("f(2)", "2", 2),
                notebook("f(1)", "one", 4),
                notebook("f(2)", "2", 2)
            ),
        ]

    @Test("one command makes git merge what it cannot merge alone", arguments: documents)
    func installs(
        _ document: (name: String, base: String, ours: String, theirs: String, merged: String)
    ) throws {
        let machine = try installed(
            document.name, document.base, document.ours, document.theirs)
        let alone = try machine.shell(
            "git merge-file -p ours base theirs >alone; test $? -ne 0")
        #expect(alone.code == 0, "git can merge \(document.name) by itself")
        let merge = try machine.shell(
            "PATH=\"$PWD/bin:$PATH\"; cd r && git merge -q --no-edit other >&2 && cat \(document.name)"
        )
        #expect(merge.code == 0, "\(merge.talk)")
        #expect(merge.output == document.merged)
    }

    @Test("a conflict has markers of the length that an attribute sets")
    func installedConflict() throws {
        let machine = try installed("f.json", "{\"a\": 1}\n", "{\"a\": 2}\n", "{\"a\": 3}\n")
        let merge = try machine.shell(
            """
            PATH="$PWD/bin:$PATH"; cd r
            echo '*.json conflict-marker-size=9' >.gitattributes
            git merge -q --no-edit other
            """)
        #expect(merge.code == 1)
        let state = try machine.shell("cd r && git status --porcelain -uno && cat f.json").output
        // git names the branches since 2.44.
        let expected = [("ours", "theirs"), ("HEAD", "other")].map { ours, theirs in
            "UU f.json\n<<<<<<<<< \(ours)\n{\"a\": 2}\n=========\n{\"a\": 3}\n>>>>>>>>> \(theirs)\n"
        }
        #expect(expected.contains(state), "\(state)")
    }

    @Test("of a conflict of databases ours stays")
    func binaryConflict() throws {
        let machine = try installed("f.db", "a@b", "a@c", "a@d")
        let merge = try machine.shell(
            "PATH=\"$PWD/bin:$PATH\"; cd r; git merge -q --no-edit other; echo $?; "
                + "git status --porcelain; cmp f.db ../ours && echo ours")
        #expect(merge.output.hasSuffix("1\nUU f.db\nours\n"), "\(merge.output)")
    }
}
