import FilesinkiCommands
import Glibc
import Testing

@Suite("merge")
struct MergeTests {
    private func world(_ base: String, _ here: String, _ there: String) throws -> World {
        let world = try World()
        for (name, text) in [("b", base), ("h", here), ("t", there)] {
            try world.write(text, to: name)
        }
        return world
    }

    private func edits() throws -> World {
        try world("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n")
    }

    @Test("edits of different lines are merged to standard output, with exit code 0")
    func merged() async throws {
        let outcome = try await edits().run("merge", "b", "h", "t")
        #expect(outcome.code == .done)
        #expect(outcome.text == "A\nb\nc\nd\nE\n")
        #expect(outcome.talk == "")
    }

    @Test("a conflict exits with 1, prints no partial merge, and reports its line")
    func conflict() async throws {
        let world = try world("a\n", "A\n", "Z\n")
        let outcome = try await world.run("merge", "b", "h", "t")
        #expect(outcome.code == .negative)
        #expect(outcome.output == [])
        #expect(outcome.talk.hasPrefix("auto: line 1: "))
    }

    @Test("the name of the file, given or its own, decides that a merge must be TOML")
    func name() async throws {
        let (base, here, there) = (
            "[a]\nx = 1\ny = 2\n", "[a]\nn = 1\nx = 1\ny = 2\n", "[a]\nx = 1\ny = 2\nn = 2\n"
        )
        let world = try world(base, here, there)
        try world.write(here, to: "h.toml")
        #expect(try await world.run("merge", "b", "h", "t").code == .done)
        for line in [["b", "h.toml", "t"], ["--path", "d/x.toml", "b", "h", "t"]] {
            let outcome = try await world.run(bytes: (["merge"] + line).map { Array($0.utf8) })
            #expect(outcome.code == .negative)
            #expect(outcome.talk.contains("/a/n: Both sides added"), "\(outcome.talk)")
            #expect(outcome.talk.hasPrefix("d/x.toml: ") == (line[0] == "--path"))
        }
    }

    @Test("the name of the file decides that settings are merged by section and key")
    func settings() async throws {
        let world = try world("[a]\nx=1\ny=2\n", "[a]\nx=3\ny=2\n", "[a]\nx=1\ny=4\n")
        #expect(try await world.run("merge", "b", "h", "t").code == .negative)
        for line in [["--path", "app.ini"], ["--path", ".env"], ["--strategy", "ini"]] {
            let outcome = try await world.run(
                bytes: (["merge", "-v"] + line + ["b", "h", "t"]).map { Array($0.utf8) })
            // .env has no sections, so that its files are text.
            let isRead = line[1] != ".env"
            #expect(outcome.code == (isRead ? .done : .negative))
            #expect(outcome.text == (isRead ? "[a]\nx=3\ny=4\n" : ""))
        }
    }

    @Test(
        "translations, calendars, cards, XML, front matter and notebooks are merged by their names, or by a strategy"
    )
    func formats() async throws {
        func notebook(_ output: String, _ count: Int) -> String {
            #"{"cells": [{"id": "a", "source": "", "outputs": ["\#(output)"], "execution_count": \#(count)}]}"#
        }
        let formats: [(name: String, strategy: String, versions: [String])] = [
            (
                "de.po", "po",
                [(1, 2), (3, 2), (1, 4), (3, 4)].map {
                    #"msgid ""\#nmsgstr ""\#n"A: \#($0)\n"\#n"B: \#($1)\n"\#n"#
                }
            ),
            (
                "a.ics", "ical",
                [(1, 2), (3, 2), (1, 4), (3, 4)].map {
                    "BEGIN:VCALENDAR\nA:\($0)\nB:\($1)\nEND:VCALENDAR\n"
                }
            ),
            (
                "a.vcf", "vcard",
                [(1, 2), (3, 2), (1, 4), (3, 4)].map {
                    "BEGIN:VCARD\nUID:a\nA:\($0)\nB:\($1)\nEND:VCARD\n"
                }
            ),
            (
                "a.svg", "xml",
                [(1, 2), (3, 2), (1, 4), (3, 4)].map { "<a x=\"\($0)\" y=\"\($1)\"/>\n" }
            ),
            (
                "a.md", "markdown",
                [(1, 2), (3, 2), (1, 4), (3, 4)].map { "---\na: \($0)\nb: \($1)\n---\n" }
            ),
            (
                "a.ipynb", "ipynb",
                [notebook("1", 1), notebook("2", 2), notebook("3", 3), notebook("3", 3)]
            ),
        ]
        for (name, strategy, versions) in formats {
            let world = try world(versions[0], versions[1], versions[2])
            #expect(try await world.run("merge", "b", "h", "t").code == .negative)
            for options in [["--path", name], ["--strategy", strategy]] {
                let arguments = (["merge"] + options + ["b", "h", "t"]).map { Array($0.utf8) }
                let outcome = try await world.run(bytes: arguments)
                #expect(outcome.code == .done && outcome.text == versions[3], "\(options)")
            }
        }
    }

    @Test("a file called JSON that has comments is merged by member")
    func comments() async throws {
        let world = try world(
            "{\n  // c\n  a: 1,\n  b: 2\n}\n", "{\n  // c\n  a: 3,\n  b: 2\n}\n",
            "{\n  // c\n  a: 1,\n  b: 4,\n  c: 5\n}\n")
        #expect(try await world.run("merge", "b", "h", "t").code == .negative)
        for line in [["--path", "tsconfig.json"], ["--strategy", "jsonc"]] {
            let outcome = try await world.run(
                bytes: (["merge"] + line + ["b", "h", "t"]).map { Array($0.utf8) })
            #expect(outcome.text == "{\n  // c\n  a: 3,\n  b: 4,\n  c: 5\n}\n")
        }
    }

    @Test("--markers prints both sides of a conflict between markers")
    func markers() async throws {
        let outcome = try await world("a\n", "A\n", "Z\n").run("merge", "--markers", "b", "h", "t")
        #expect(outcome.code == .negative)
        #expect(outcome.text == "<<<<<<< here\nA\n=======\nZ\n>>>>>>> there\n")
    }

    @Test("--markers of a format has between markers what it cannot merge")
    func markersOfFormat() async throws {
        let world = try world("[a]\nx=1\ny=1\n", "[a]\nx=2\ny=1\n", "[a]\nx=3\ny=4\n")
        let words = ["merge", "--markers", "--path", "x.ini", "--marker-size", "3", "b", "h", "t"]
        let outcome = try await world.run(bytes: words.map { Array($0.utf8) })
        #expect(outcome.code == .negative)
        #expect(outcome.text == "[a]\n<<< here\nx=2\n===\nx=3\n>>> there\ny=4\n")
    }

    @Test("-o writes the file atomically, also over an input, and not when a conflict remains")
    func output() async throws {
        let world = try edits()
        #expect(try await world.run("merge", "-o", "h", "b", "h", "t").code == .done)
        #expect(world.readText("h") == "A\nb\nc\nd\nE\n")
        try world.write("Z\n", to: "t")
        #expect(try await world.run("merge", "-o", "h", "b", "h", "t").code == .negative)
        #expect(world.readText("h") == "A\nb\nc\nd\nE\n")
        #expect(world.names() == ["b", "h", "t"])
    }

    @Test(
        "the links of a chain are tried in order, and each reports why it declines",
        arguments: [
            ("json, text", "A\nb\nc\nd\nE\n", "json: "),
            (
                "json, larger, here", "A\nb\nc\nd\ne\n",
                "larger: Both sides are equal by this criterion."
            ),
            ("there", "a\nb\nc\nd\nE\n", ""),
            ("exec:exit 1, there", "a\nb\nc\nd\nE\n", "The command declined."),
            ("exec:exit 7, there", "a\nb\nc\nd\nE\n", "The command failed with exit code 7."),
            ("exec:true, there", "a\nb\nc\nd\nE\n", "The command exited with 0 and wrote nothing."),
            ("exec:: >%A, there", "a\nb\nc\nd\nE\n", "The command's result is empty."),
            (
                "exec:printf '\\\\000' >%A, there", "a\nb\nc\nd\nE\n",
                "The command's result is not text"
            ),
            ("exec:cat %B >%A, here", "a\nb\nc\nd\nE\n", ""),
            ("choose:echo there, here", "a\nb\nc\nd\nE\n", ""),
            ("choose:echo nobody, here", "A\nb\nc\nd\ne\n", "The command named no side."),
        ])
    func chain(_ chain: String, _ text: String, _ talk: String) async throws {
        let outcome = try await edits().run("merge", "-v", "--strategy", chain, "b", "h", "t")
        #expect(outcome.code == .done)
        #expect(outcome.text == text)
        #expect(outcome.talk.contains("Merged by"))
        #expect(talk.isEmpty || outcome.talk.contains(talk), "\(outcome.talk)")
    }

    @Test(
        "a command that exceeds the time limit is killed with its children, and the chain continues"
    )
    func hang() async throws {
        let world = try edits()
        let outcome = try await world.run(
            "merge", "--time-limit", "1s", "--strategy", "exec:sleep 600 & sleep 600, here", "b",
            "h", "t")
        #expect(outcome.text == "A\nb\nc\nd\ne\n")
        #expect(outcome.talk.contains("longer than 1"))
    }

    @Test("a file name with any bytes is never interpreted by the shell")
    func names() async throws {
        let world = try edits()
        let outcome = try await world.run(
            "merge", "--path", "a; touch '$(x)' `y`.txt", "--strategy", "exec:printf %%s %P >%A",
            "b", "h", "t")
        #expect(outcome.text == "a; touch '$(x)' `y`.txt")
        #expect(world.names() == ["b", "h", "t"])
    }

    @Test("fields are merged by their rules")
    func fields() async throws {
        let world = try world(
            #"{"n": 1, "best": 2, "who": "x"}"#, #"{"n": 3, "best": 5, "who": "h"}"#,
            #"{"n": 7, "best": 4, "who": "t"}"#)
        let outcome = try await world.run(
            "merge", "--field", "/n=sum", "--field", "/best=max", "--field-choice", "there", "b",
            "h", "t")
        #expect(outcome.text == #"{"n": 9, "best": 5, "who": "t"}"#)
    }

    @Test("--type says the format where neither name nor content do")
    func type() async throws {
        let world = try world("id\tn\tm\n1\ta\tb\n", "id\tn\tm\n1\tx\tb\n", "id\tn\tm\n1\ta\ty\n")
        #expect(try await world.run("merge", "b", "h", "t").code == .negative)
        let outcome = try await world.run("merge", "-v", "--type", "csv", "b", "h", "t")
        #expect(outcome.text == "id\tn\tm\n1\tx\ty\n")
        #expect(outcome.talk.contains("Merged by auto:csv."))
        let wrong = try await world.run("merge", "--type", "cvs", "b", "h", "t")
        #expect(wrong.code == .usage)
        #expect(wrong.talk.contains("Use one of text, lines, union-lines, json"), "\(wrong.talk)")
    }

    @Test("a file that is not of the type is merged as text")
    func otherType() async throws {
        let outcome = try await edits().run("merge", "-v", "--type", "json", "b", "h", "t")
        #expect(outcome.text == "A\nb\nc\nd\nE\n")
        #expect(outcome.talk.contains("Merged by auto:text."))
    }

    @Test("--explain prints to standard error where each part is from, with -o to standard output")
    func explain() async throws {
        let world = try world(
            #"{"a": 1, "b": 2, "c": 3}"#, #"{"a": 4, "b": 2, "c": 3, "d": 5}"#, #"{"a": 1, "c": 6}"#
        )
        let lines = [
            "Format: json, by the content.", "/b  there  removed", "/d  here   added",
            "/a  here   edited", "/c  there  edited",
        ]
        let outcome = try await world.run("merge", "--explain", "b", "h", "t")
        #expect(outcome.text == #"{"a": 4, "c": 6, "d": 5}"#)
        #expect(outcome.talk.split(separator: "\n").map(String.init) == lines)
        let filed = try await world.run("merge", "--explain", "-o", "out", "b", "h", "t")
        #expect(filed.lines == lines && filed.talk == "")
        let plain = try await world.run("merge", "b", "h", "t")
        #expect(plain.text == outcome.text && plain.talk == "")
    }

    @Test(
        "--explain says what told the format",
        arguments: [
            (["--path", "a.yaml"], "Format: yaml, by the name."),
            (
                ["--type", "toml"],
                "Format: text: a version is not toml that can be merged as such."
            ),
            (["--type", "lines"], "Format: lines, by a rule."),
            (["--strategy", "json, there"], "(all)  there  by the strategy: there"),
            (["--strategy", "exec:cat %B >%A"], "(all)  both  by the strategy: exec:cat %B >%A"),
        ])
    func explainedFormat(_ options: [String], _ line: String) async throws {
        let world = try world("a: 1\nb: 2\n", "a: 3\nb: 2\n", "a: 1\nb: 2\nc: 4\n")
        let outcome = try await world.run(
            bytes: (["merge", "--explain"] + options + ["b", "h", "t"]).map { Array($0.utf8) })
        #expect(outcome.code == .done)
        #expect(outcome.talk.split(separator: "\n").contains { $0 == line }, "\(outcome.talk)")
    }

    @Test(
        "options for fields are refused where lines are merged, and the format is named that is not read",
        arguments: [["--field", "/a=max"], ["--field-choice", "here"], ["--identity", "/l=id"]])
    func unreadFields(_ options: [String]) async throws {
        let world = try world("a: &x 1\nb: 2\n", "a: &x 3\nb: 2\n", "a: &x 1\nb: 2\nc: 4\n")
        let words = ["merge", "--path", "a.yaml"] + options + ["b", "h", "t"]
        let outcome = try await world.run(bytes: words.map { Array($0.utf8) })
        #expect(outcome.code == .usage && outcome.text == "")
        #expect(outcome.talk.contains("merged as text: a version is not yaml"), "\(outcome.talk)")
        let explained = try await world.run("merge", "--path", "a.yaml", "--explain", "b", "h", "t")
        #expect(
            explained.talk.contains("Anchors, aliases and several documents"), "\(explained.talk)")
    }

    @Test("pipes are read, which shells give for <(COMMAND)")
    func pipes() async throws {
        var names: [String] = []
        var ends: [Int32] = []
        defer { for end in ends { close(end) } }
        for text in ["a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"] {
            var pair: [Int32] = [-1, -1]
            try #require(pipe(&pair) == 0)
            ends.append(pair[0])
            let bytes = Array(text.utf8)
            #expect(write(pair[1], bytes, bytes.count) == bytes.count)
            close(pair[1])
            names.append("/dev/fd/\(pair[0])")
        }
        let world = try World()
        let outcome = try await world.run("merge", names[0], names[1], names[2])
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(outcome.text == "A\nb\nC\n")
    }

    @Test("--explain lists the conflicts, too")
    func explainedConflict() async throws {
        let outcome = try await world("a\nb\nc\n", "A\nb\nc\n", "Z\nb\nC\n").run(
            "merge", "--explain", "b", "h", "t")
        #expect(outcome.code == .negative)
        #expect(
            outcome.talk.split(separator: "\n").suffix(2) == [
                "line 3  there     edited",
                "line 1  conflict  Both sides changed it.",
            ], "\(outcome.talk)")
    }

    @Test("--marker-size sets the length of the markers")
    func markerSize() async throws {
        let outcome = try await world("a\n", "A\n", "Z\n").run(
            "merge", "--markers", "--marker-size", "9", "b", "h", "t")
        #expect(outcome.text == "<<<<<<<<< here\nA\n=========\nZ\n>>>>>>>>> there\n")
    }

    @Test(
        "--label names the sides at the markers, unless git has left its words as they are",
        arguments: [
            (["--label=HEAD", "--label=topic"], "HEAD", "topic"),
            (["-L", "a b", "--label=-x\nno"], "a b", "-x"),
            (["--label=%X", "--label=%Y"], "ours", "theirs"),
        ])
    func labels(_ options: [String], _ here: String, _ there: String) async throws {
        let words = ["merge", "--markers"] + options + ["b", "h", "t"]
        let outcome = try await world("a\n", "A\n", "Z\n").run(
            bytes: words.map { Array($0.utf8) })
        #expect(outcome.text == "<<<<<<< \(here)\nA\n=======\nZ\n>>>>>>> \(there)\n")
    }

    @Test("--check reports whether the merge is symmetric and idempotent for these files")
    func check() async throws {
        let sound = try await edits().run("merge", "--check", "b", "h", "t")
        #expect(sound.lines == ["merged by: auto:text", "symmetric: yes", "idempotent: yes"])
        #expect(sound.code == .done)
        let unsound = try await edits().run(
            "merge", "--check", "--json", "--strategy", "exec:cat %A %B >%A.x && mv %A.x %A", "b",
            "h", "t")
        #expect(unsound.code == .negative)
        #expect(unsound.lines.first?.hasSuffix(#""symmetric":false,"idempotent":false}"#) == true)
    }

    @Test(
        "invalid usage exits with 2",
        arguments: [
            ["--strategy", "magic"], ["--field", "/n"], ["--field", "/n=most"],
            ["--field-choice", "best"], ["--identity", "items=id"], ["--time-limit", "soon"],
            ["--path", "/etc/x"],
        ])
    func usage(_ options: [String]) async throws {
        let command = ["merge"] + options + ["b", "h", "t"]
        let outcome = try await edits().run(bytes: command.map { Array($0.utf8) })
        #expect(outcome.code == .usage)
        #expect(outcome.output == [])
    }

    @Test("a missing file exits with 2 and its name, since 1 means a conflict")
    func missing() async throws {
        let outcome = try await edits().run("merge", "b", "h", "gone")
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("gone"))
    }
}
