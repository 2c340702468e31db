import Testing

/// Two replicas of the folder `store` with much to do on both sides, for commands that are killed.
struct KillScene {
    let machine: Machine
    /// How the replicas reach the folder.
    let remote: String

    init(_ machine: Machine, remote: String = "store") {
        self.machine = machine
        self.remote = remote
    }

    /// Two replicas with one of everything to do on both sides, kept as `fresh` to start from.
    func prepare() throws {
        let made = try machine.shell(
            """
            set -e
            mkdir -p fresh/a/old fresh/a/gone; cd fresh/a
            for n in 1 2 3 4 5 6 7 8; do echo "base $n" >f$n; done
            head -c 400000 /dev/urandom >large; echo x >old/child; echo y >gone/child; ln -s f1 link
            cd ../..; mv fresh/a a
            filesinki init a --remote '\(remote)' --device a; filesinki sync a
            filesinki clone '\(remote)' b --device b
            cd a; echo 'a edits' >f1; rm f2; rm -r gone; mv old new; echo 'of a' >both
            mkdir empty; rm link; ln -s f3 link; chmod 600 f4; head -c 300000 /dev/urandom >more
            mv f7 t; mv f8 f7; mv t f8
            cd ../b; echo 'b edits' >f5; rm f6; echo 'of b!' >both; echo 'b edits too' >f1
            mkdir own; echo z >own/z; head -c 500000 /dev/urandom >large
            cd ..; mkdir -p fresh; mv a b store fresh/
            """)
        try #require(made.code == 0, "\(made.talk)")
    }

    /// Everything that has to be somewhere at the end.
    private static let contents = [
        "a edits", "b edits", "of a", "of b!", "b edits too", "base 3", "base 4", "base 7",
        "base 8",
        "x", "z",
    ]

    /// - Parameter isDamaging: Whether a byte of the first pack is changed: some of what it holds is in no root.
    func start(syncing first: String?, damaging isDamaging: Bool = false) throws {
        let sync = first.map { "filesinki sync \($0)" } ?? ":"
        try machine.shell("rm -rf a b store; cp -a fresh/a fresh/b fresh/store . ; \(sync)")
        guard isDamaging else { return }
        try machine.shell(
            "dd if=/dev/urandom of=$(ls -d store/packs/*/* | head -n 1) bs=1 count=64 seek=100 "
                + "conv=notrunc")
    }

    /// Plain runs that need nothing end with both roots equal, and nothing lost.
    func expectHealed(_ what: String) throws {
        for replica in ["a", "b", "a", "b"] {
            let run = try machine.run("sync", replica)
            #expect(run.code == 0 || run.code == 3, "\(what): \(replica) \(run.talk)")
        }
        let listing =
            "find . -path ./.filesinki -prune -o ! -type d -printf '%p %m %T@ %l\\n' | sort"
        let equal = try machine.shell(
            "diff -r --no-dereference -x .filesinki a b && (cd a; \(listing)) >la && "
                + "(cd b; \(listing)) >lb && cmp la lb")
        #expect(equal.code == 0, "\(what): \(equal.output) \(equal.talk)")
        let found = try machine.shell(
            "find a -path a/.filesinki -prune -o -type f -size -2k -exec cat {} +"
        ).output
            .split(separator: "\n").map(String.init)
        for content in Self.contents {
            #expect(found.contains(content), "\(what): '\(content)' is lost")
        }
        #expect(try machine.shell("ls a/f2 a/f6 a/gone a/old").output == "", "\(what)")
        let left = try machine.shell("ls -A a/.filesinki/staging b/.filesinki/staging | grep -v :")
        #expect(left.output.split(separator: "\n").isEmpty, "\(what): \(left.output)")
        let check = try machine.run("check", "--read-data", "--root", "a")
        #expect(check.code == 0, "\(what): \(check.output) \(check.talk)")
    }
}
