import FilesinkiTesting
import Glibc
import Testing

/// Storms of changes on both sides while both are watched.
@Suite("Many changes under watches", .onOwnThreads, .serialized)
struct WatchStormTests {
    /// How many changes; 50,000 for the whole storm.
    static let count = knob("FILESINKI_STORM", otherwise: 600)
    /// How many objects a build makes.
    static let objects = knob("FILESINKI_OBJECTS", otherwise: 60)
    /// How often editors save.
    static let saves = knob("FILESINKI_SAVES", otherwise: 100)

    /// One side's user, with a folder of their own and a common one.
    private struct User: Sendable {
        let root: String
        let name: String
        var chance = SystemRandomNumberGenerator()
        /// What is in the own folder.
        var files: [String: String] = [:]
        /// The same, to choose one quickly.
        private var paths: [String] = []
        private var count = 0

        init(root: String, name: String) {
            self.root = root
            self.name = name
        }

        /// The same user after some changes.
        func storm(_ changes: Int) async -> User {
            var user = self
            for _ in 0..<changes { user.act() }
            return user
        }

        private mutating func act() {
            count += 1
            let own = "\(root)/\(name)/d\(count % 7)"
            switch Int.random(in: 0..<10, using: &chance) {
            case 0..<4: write("\(own)/f\(count)")
            case 4..<6: if let path = paths.randomElement(using: &chance) { write(path) }
            case 6: remove()
            case 7..<9: rename()
            default:
                let text = "\(name) \(count)\n"
                Self.write(text, to: "\(root)/shared/s\(count % 20)")
            }
        }

        private mutating func write(_ path: String) {
            let text = "\(name) \(count)\n"
            Self.write(text, to: path)
            if files.updateValue(text, forKey: path) == nil { paths.append(path) }
        }

        private mutating func remove() {
            guard let index = paths.indices.randomElement(using: &chance),
                unlink(paths[index]) == 0
            else { return }
            files[paths[index]] = nil
            paths.swapAt(index, paths.count - 1)
            paths.removeLast()
        }

        private mutating func rename() {
            guard let index = paths.indices.randomElement(using: &chance),
                Glibc.rename(paths[index], paths[index] + "r") == 0
            else { return }
            files[paths[index] + "r"] = files.removeValue(forKey: paths[index])
            paths[index] += "r"
        }

        static func write(_ text: String, to path: String) {
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            guard file >= 0 else { return }
            _ = Glibc.write(file, text, text.utf8.count)
            close(file)
        }
    }

    @Test("both sides become equal, and every file is as its user left it")
    func storm() async throws {
        let machine = try Machine.pair(
            "mkdir -p a/shared a/one a/two; for n in 0 1 2 3 4 5 6; do mkdir a/one/d$n a/two/d$n; "
                + "echo x >a/one/d$n/keep; echo x >a/two/d$n/keep; done")
        let watches = [
            try machine.watch("a", "--max-delete", "1000000"),
            try machine.watch("b", "--max-delete", "1000000"),
        ]
        let here = User(root: machine.folder + "/a", name: "one")
        let there = User(root: machine.folder + "/b", name: "two")
        let clock = ContinuousClock()
        let start = clock.now
        async let first = here.storm(Self.count / 2)
        async let second = there.storm(Self.count / 2)
        let (one, two) = await (first, second)
        let written = clock.now
        try machine.expectEqual(seconds: 600)
        let peaks = watches.compactMap(\.running.peakMemory)
        #expect(peaks.count == 2)
        #expect(peaks.allSatisfy { $0 < 200 << 20 }, "\(peaks)")
        if knob("FILESINKI_STORM") != nil {
            print(
                "\(Self.count) changes in \(written - start), equal after \(clock.now - written), "
                    + "at most \((peaks.max() ?? 0) >> 20) MiB")
        }
        for watch in watches { try machine.end(watch) }
        for (user, other) in [(one, "b"), (two, "a")] {
            for (path, text) in user.files {
                let below = path.dropFirst(user.root.count)
                #expect(machine.read(other + below) == text, "\(below)")
            }
        }
        let copies = try machine.shell("find a/one a/two -name '*(conflict*'").output
        #expect(copies == "")
        // At rest: a run of everything finds nothing.
        let rest = try machine.run("sync", "a", "--json")
        #expect(rest.output.contains("\"steps\":0"), "\(rest.output)")
    }

    @Test(
        "git checkouts of commits that are far apart", .enabled(if: WatchStormTests.hasGit))
    func checkout() throws {
        let machine = try Machine.pair("mkdir a/repository; echo 1 >a/f")
        let made = try machine.shell(
            """
            cd a/repository
            git init -q -b main .; git config user.email a@b; git config user.name a
            git config gc.auto 0
            for d in $(seq 12); do mkdir d$d
                for n in $(seq 20); do seq $n $((n * d)) >d$d/f$n; done; done
            git add .; git commit -qm one; git tag one
            for d in $(seq 1 2 12); do git mv -k d$d e$d; done
            for d in $(seq 2 4 12); do git rm -rq d$d; done
            for f in e*/f1 d4/f*; do echo edited >>$f; done
            mkdir new; for n in $(seq 100); do echo $n >new/n$n; done
            git add .; git commit -qm two; git tag two
            """)
        try #require(made.code == 0, "\(made.talk)")
        try machine.sync("a", "b")
        let watches = [
            try machine.watch("a", "--max-delete", "1000000"),
            try machine.watch("b", "--max-delete", "1000000"),
        ]
        for tag in ["one", "two", "one", "two"] {
            let run = try machine.shell("cd a/repository && git checkout -q \(tag)")
            #expect(run.code == 0, "\(run.talk)")
        }
        try machine.expectEqual()
        for watch in watches { try machine.end(watch) }
        try machine.expectNoCopies()
        #expect(try machine.shell("cd b/repository && git status --porcelain").output == "")
    }

    @Test(
        "a build creates its objects, rebuilds some and cleans up",
        .enabled(if: WatchStormTests.hasCompiler))
    func build() throws {
        let machine = try Machine.pair("mkdir a/project; echo 1 >a/f")
        try machine.write(Self.makefile, to: "a/project/Makefile")
        let made = try machine.shell(
            "cd a/project && for n in $(seq \(Self.objects)); do echo \"int f$n(void){return $n;}\" >f$n.c; done"
        )
        try #require(made.code == 0, "\(made.talk)")
        try machine.sync("a", "b")
        let watches = [
            try machine.watch("a", "--max-delete", "1000000"),
            try machine.watch("b", "--max-delete", "1000000"),
        ]
        for step in ["make -s", "touch f1*.c && make -s", "make -s clean", "make -s"] {
            let run = try machine.shell("cd a/project && \(step)")
            #expect(run.code == 0, "\(run.talk)")
        }
        try machine.expectEqual(seconds: 600)
        for watch in watches { try machine.end(watch) }
        try machine.expectNoCopies()
        #expect(try machine.shell("cd b/project && make -q && echo whole").output == "whole\n")
    }

    /// Objects, an archive that is made anew from all of them, and dependencies beside them.
    private static let makefile = """
        objects := $(patsubst %.c,out/%.o,$(wildcard *.c))
        liball.a: $(objects)
        \trm -f $@; ar rc $@.new $^; mv $@.new $@
        out/%.o: %.c
        \t@mkdir -p out
        \tcc -MMD -c -o $@.tmp $<; mv $@.tmp $@
        clean:
        \trm -rf out liball.a

        """

    static let hasCompiler = ["make", "cc", "ar"].allSatisfy {
        access("/usr/bin/" + $0, X_OK) == 0
    }
    static let hasGit = access("/usr/bin/git", X_OK) == 0

    /// How editors save, each as calls that one of them makes.
    static let habits = [
        // In place, as vim with backupcopy=yes.
        "printf '%s\\n' \"$t\" >f",
        // By rename, as vim with backupcopy=no.
        "mv f f~; printf '%s\\n' \"$t\" >f; rm f~",
        // With a probe, as vim does in a folder that it does not know.
        ": >4913; rm 4913; mv f f~; printf '%s\\n' \"$t\" >f; rm f~",
        // A backup that stays, as emacs.
        "cp -p f f~; printf '%s\\n' \"$t\" >f",
        // A lock beside it, as emacs: a symlink to nowhere.
        "ln -s u@h.1:1 .#f; printf '%s\\n' \"$t\" >f; rm .#f",
        // A new file in its place, as most others.
        "printf '%s\\n' \"$t\" >.f.tmp; mv .f.tmp f",
        // Deleted and made again.
        "rm f; printf '%s\\n' \"$t\" >f",
    ]

    @Test("editors save repeatedly, each in its own way")
    func editors() throws {
        let machine = try Machine.pair("echo 0 >a/f; echo 1 >a/other; echo 2 >a/more")
        let watches = [try machine.watch("a"), try machine.watch("b")]
        for number in 0..<Self.saves {
            let habit = Self.habits[number % Self.habits.count]
            try machine.shell("cd a; t=\"text \(number)\"; \(habit)")
        }
        #expect(
            try pollUntil {
                try machine.read("b/f") == "text \(Self.saves - 1)\n" && machine.difference.isEmpty
            }, "\((try? machine.difference) ?? "")")
        for watch in watches { try machine.end(watch) }
        try machine.expectNoCopies()
    }
}
