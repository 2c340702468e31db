import FilesinkiTesting
import Foundation
import Testing

/// Records as scripts use them: processes, exit codes, kills, two machines in one folder.
@Suite("Records in scripts", .onOwnThreads)
struct RecordTests {
    private func pair() throws -> Machine {
        let machine = try Machine()
        let made = try machine.shell(
            """
            set -e
            filesinki init a --remote store --device a; filesinki init b --remote store --device b
            """)
        try #require(made.code == 0, "\(made.talk)")
        return machine
    }

    @Test
    func `CK-01 CK-27 a token reads the public database and changes others, and no token reads it`()
        throws
    {
        let machine = try Machine()
        let run = try machine.shell(
            #"""
            set -e; rec() { filesinki rec "$@"; }
            filesinki serve token make store owner --create -o owner >made 2>&1
            filesinki serve token make store user -o user --zone '*' --zone 'public-*:read' \
                >>made 2>&1
            mkfifo ready
            "$FILESINKI" serve store --public --listen 127.0.0.1:0 --json >ready 2>log & server=$!
            trap 'kill $server' EXIT
            read -r line <ready
            address=$(echo "$line" | sed 's/.*"address":"\([^"]*\)".*/\1/')
            filesinki init a --remote "$address" --token-file owner 2>&-
            filesinki init b --remote "$address" --token-file user 2>&-
            filesinki init c --remote "$address" 2>&-
            rec save --root a --db public Note n --set title=all
            rec save --root a Note n --set title=mine
            title() { sed 's/.*"value":"\([^"]*\)".*/\1/'; }
            rec get --root b --db public --fresh n | title
            rec get --root c --db public --fresh n | title
            set +e
            rec save --root b --db public Note n --set title=theirs 2>refused; echo "save $?"
            grep -c "Permission denied (403)" refused
            rec get --root b --db public n | title
            rec sync --root b >>made 2>&1
            rec save --root b Note n --set title=ours --wait; echo "private $?"
            rec sync --root c 2>&-; echo "private without a token $?"
            rec get --root a --fresh n | title
            rec get --root a --db public --fresh n | title
            rec get --root a --db elsewhere n 2>&-; echo "unknown $?"
            """#)
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            run.output == """
                all
                all
                save 7
                1
                theirs
                private 0
                private without a token 7
                ours
                all
                unknown 2

                """)
    }

    @Test func `CK-05 CK-26 another reader, in Python, reads records and assets from the store`()
        throws
    {
        let machine = try pair()
        let reader = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Reader/filesinki_records.py").path
        let run = try machine.shell(
            #"""
            set -e; rec() { filesinki rec "$@"; }
            head -c 600000 /dev/urandom >photo; : >empty
            rec save Note n1 --root a --set title='"é"' --set n:int=-9223372036854775808 \
                --set d:double=-0.0 --set i:double=inf --set b:data=AP8K --set l:location=52.5,13.4 \
                --set w:date=1969-05-01T09:30:00.250Z --set p:asset=@photo --set q:asset=@empty
            rec save Note n2 --root a --set r:reference=n1,delete --set s:reference-list='n1;n1' \
                --set t:list=a,b --set u:int-list= --set f:double=2.5
            rec save Note n3 --root a --set title=x; rec delete n3 --root a
            python3 \#(reader) store >there
            rec get n1 n2 --root a | sed 's/,"tag":[^,]*,"zone":"default"//' >here
            cmp there here
            pack=$(find store/zones/rec-default/packs -type f | head -n 1)
            printf damaged | dd of="$pack" bs=1 seek=5000 conv=notrunc 2>talk
            python3 \#(reader) store >there 2>talk || cat talk
            """#)
        #expect(run.code == 0 && run.output == "a chunk is damaged\n", "\(run.output) \(run.talk)")
    }

    @Test func `CK-05 CK-06 CK-07 CK-11 CK-12 CK-13 CK-19 exit codes say what happened`() throws {
        let machine = try pair()
        func rec(_ arguments: String) throws -> (code: Int32, output: String, talk: String) {
            let run = try machine.shell("filesinki rec " + arguments)
            return (run.code, run.output, run.talk)
        }
        let save = "save --root a Note n --set "
        #expect(try rec(save + "count:int=1").code == 0)
        #expect(try rec("sync --root b").code == 0)
        #expect(try rec("save --root b Note n --set count=2").code == 0)
        let refused = try rec(save + "count=3 --policy unchanged --json")
        #expect(refused.code == 3)
        for key in ["ancestor", "client", "server"] {
            #expect(refused.output.contains("\"\(key)\":{\"name\":\"n\""))
        }
        #expect(try rec("conflicts --root a").code == 3)
        #expect(try rec("sync --root a").code == 3)
        #expect(try rec("conflicts --root a --forget n").code == 0)
        #expect(try rec(save + "count=3 --if-tag 1").code == 3)
        #expect(try rec(save + "count:string=x").code == 2)
        #expect(try rec(save + "of:reference=no").code == 2)
        #expect(try rec("save --root a Note _n --set count=3").code == 2)
        #expect(try rec("get --root a none").code == 1)
        #expect(try rec("get --root a n none").code == 5)
        #expect(try rec("delete --root a none").code == 0)
        #expect(try rec("delete --root a none --strict").code == 1)
        #expect(try rec("query --root a Note --where 'count = 99'").code == 1)
        let wrong = try rec("query --root a Note --where 'count MATCHES 1'")
        #expect(wrong.code == 2 && wrong.talk.contains("column 7"))
        #expect(try rec("query --root a Note --where 'count = 1 OR count = 2' --strict").code == 2)
        #expect(try rec("changes --root a --since 0000000000000000-1").code == 9)
        #expect(try rec("save --root a Note m --set count=4").code == 0)
        for (way, names) in [("", ["m", "n"]), (" --reverse", ["n", "m"])] {
            let lines = try rec("changes --root a --fields count" + way).output
                .split(separator: "\n")
            #expect(lines.count == 3 && lines[2].hasSuffix(#","more":false}"#), "\(lines)")
            let expected = names.map { #"{"name":"\#($0)","# }
            #expect(zip(lines, expected).allSatisfy { $0.hasPrefix($1) }, "\(lines)")
        }
    }

    /// `FILESINKI_KILL_POINTS` says how many points; 8 unless it is set, and all of them where it is large enough.
    @Test
    func `CK-08 rec batch --atomic killed at any call is done once and whole, or not at all`()
        throws
    {
        let machine = try pair()
        guard let injector = try Injector(machine) else { return }
        func batch(_ number: Int) throws -> [String] {
            let lines = ["x", "y"].map {
                #"{"op":"force-update","name":"\#($0)","type":"T","fields":{"n":\#(number)}}"#
            }
            try machine.write(lines.joined(separator: "\n"), to: "batch.jsonl")
            return ["rec", "batch", "--root", "a", "--atomic", "batch.jsonl"]
        }
        /// The values, and the number of the last commit.
        func state(_ replica: String) throws -> [Int] {
            let run = try machine.shell(
                #"""
                filesinki rec get --root \#(replica) x y | sed 's/.*"value":\([0-9]*\).*/\1/'
                filesinki rec status --root \#(replica) --json | sed 's/.*"sequence":\([0-9]*\).*/\1/'
                """#)
            return run.output.split(separator: "\n").compactMap { Int($0) }
        }
        // The first batch also makes the zone and its log: its calls are more than those of all that follow.
        _ = try injector.count(machine, batch(1_000))
        let last = try injector.count(machine, batch(1_001))
        #expect(last > 5)
        var former = try state("a")
        try #require(former.count == 3 && former[0] == 1_001)
        let wanted = knob("FILESINKI_KILL_POINTS", otherwise: 5)
        for (index, point) in Injector.spread(wanted, to: last).enumerated() {
            let strike: Injector.Strike = index.isMultiple(of: 2) ? .killBefore : .killAfter
            let run = try injector.run(machine, at: point, strike, batch(2_000 + point))
            #expect(run.code == 128 + SIGKILL || run.code == Injector.neverReached || run.code == 0)
            let found = try state("a").prefix(2)
            let sync = try machine.shell("filesinki rec sync --root a")
            #expect(sync.code == 0, "\(sync.talk)")
            // All of it in one commit, also if it was published and the process did not know it yet; or none of it.
            let done = [2_000 + point, 2_000 + point, former[2] + 1]
            let present = try state("a")
            #expect([former, done].contains(present), "killed at \(point), \(strike): \(present)")
            #expect(found == present.prefix(2), "killed at \(point), \(strike)")
            former = present
        }
        // The other device sees no half, either.
        let end = try machine.shell("filesinki rec sync --root b")
        #expect(end.code == 0, "\(end.talk)")
        #expect(try state("b") == former)
    }

    @Test func `CK-10 CK-26 a file is saved beside a record, read on another device, and freed`()
        throws
    {
        let machine = try pair()
        let run = try machine.shell(
            #"""
            set -e; rec() { filesinki rec "$@"; }
            head -c 3000000 /dev/urandom >photo
            rec save Note --root a n --set title=x --set photo:asset=@photo
            printf 'from a pipe' | rec save Note --root a m --set photo:asset=@-
            rm -f gone; mv photo kept
            rec sync --root b
            rec get --root b n --asset photo -o got; cmp kept got
            rec get --root b m --asset photo; echo
            rec get --root b n --fields photo | grep -c '"size":3000000'
            rec get --root b n --asset title 2>/dev/null || echo "$?"
            rec get --root b none --asset photo 2>/dev/null || echo "$?"
            du -sk store/zones/rec-default/packs | sed 's/[0-9]\{4,\}.*/large/'
            rec save Note --root a n --set photo=null
            rec sync --root b; rec save Note --root b k --set title=y
            filesinki prune --root a --keep-last 1 >/dev/null
            du -sk store/zones/rec-default/packs | sed 's/[0-9]\{4,\}.*/large/; s/[0-9]\{1,3\}\t.*/small/'
            rec get --root b m --fresh --asset photo; echo
            filesinki check --root a --read-data >/dev/null
            rm -r store/zones/rec-default/packs
            rec get --root b m --asset photo 2>talk || echo "$?"
            grep -c "'photo' of the record 'm'" talk
            """#)
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            run.output == """
                from a pipe
                1
                1
                1
                large
                small
                from a pipe
                8
                1

                """)
    }

    @Test func `CK-26 a save of a file killed at any system call is done whole or not at all`()
        throws
    {
        let machine = try pair()
        guard let injector = try Injector(machine) else { return }
        func save(_ number: Int) -> [String] {
            try? machine.write("file \(number)", to: "file\(number)")
            return ["rec", "save", "T", "n", "--root", "a", "--set", "f:asset=@file\(number)"]
        }
        func content() throws -> (code: Int32, output: String) {
            let run = try machine.shell("filesinki rec get --root a n --asset f")
            return (run.code, run.output)
        }
        // The first save also makes the zone and its log.
        _ = try injector.count(machine, save(1))
        let last = try injector.count(machine, save(0))
        #expect(last > 5)
        var former = "file 0"
        for point in Injector.spread(
            knob("FILESINKI_KILL_POINTS", otherwise: 5), to: last)
        {
            let run = try injector.run(machine, at: point, .killBefore, save(point))
            #expect(run.code == 128 + SIGKILL || run.code == Injector.neverReached || run.code == 0)
            let found = try content()
            #expect(
                found.code == 0 && [former, "file \(point)"].contains(found.output), "\(point)")
            former = found.output
        }
        let end = try machine.shell(
            """
            set -e
            filesinki rec sync --root a; filesinki rec sync --root b
            filesinki rec get --root b n --asset f
            filesinki check --root a --read-data >/dev/null
            ls a/.filesinki/rec/default.assets | wc -l
            """)
        #expect(end.code == 0, "\(end.talk)")
        #expect(end.output == former + "0\n")
    }

    @Test
    func
        `CK-22 a sync that removes a deleted zone, killed at any system call, keeps what waits once`()
        throws
    {
        let machine = try pair()
        guard let injector = try Injector(machine) else { return }
        /// Lets `b` have something that waits in a zone that `a` deletes then.
        func prepare(_ zone: String) throws -> [String] {
            let run = try machine.shell(
                """
                set -e
                filesinki rec save --root a --zone \(zone) T n --set x:int=1
                filesinki rec sync --root b --zone \(zone)
                mv store away
                filesinki rec save --root b --zone \(zone) T m --set x:int=2 2>/dev/null
                mv away store
                filesinki rec zones delete --root a \(zone)
                """)
            try #require(run.code == 0, "\(run.talk)")
            return ["rec", "sync", "--root", "b", "--zone", zone]
        }
        let last = try injector.count(machine, prepare("first"))
        #expect(last > 5)
        for point in Injector.spread(
            knob("FILESINKI_KILL_POINTS", otherwise: 5), to: last)
        {
            let run = try injector.run(machine, at: point, .killBefore, prepare("z\(point)"))
            #expect(run.code == 128 + SIGKILL || run.code == Injector.neverReached || run.code == 1)
            let end = try machine.shell(
                """
                filesinki rec sync --root b --zone z\(point) 2>talk
                echo $?; grep -c 'deleted by a' talk
                filesinki rec get --root b --zone z\(point) n m 2>/dev/null; echo $?
                cat b/.filesinki/rec/z\(point).deleted-1.jsonl | sed 's/.*"name":"\\([a-z]*\\)".*/\\1/'
                """)
            #expect(end.output == "1\n1\n1\nm\n", "at call \(point): \(end.output) \(end.talk)")
        }
        // The file is what the operations of a batch are.
        let again = try machine.shell(
            """
            set -e
            filesinki rec zones create --root b first
            filesinki rec batch --root b --zone first b/.filesinki/rec/first.deleted-1.jsonl >results
            filesinki rec sync --root a --zone first 2>/dev/null
            filesinki rec get --root a --zone first m | sed 's/.*"value":\\([0-9]*\\).*/\\1/'
            """)
        #expect(again.code == 0 && again.output == "2\n", "\(again.output) \(again.talk)")
    }

    @Test func `CK-20 the command of a subscription is run once, with what fired it`() throws {
        let machine = try pair()
        let run = try machine.shell(
            #"""
            set -e; rec() { filesinki rec "$@"; }
            rec save --root a Note n --set count:int=1
            rec sync --root b
            rec subscribe add --root b large --query Note --where 'count > 5' --once \
                --exec 'cat >>fired; echo $FILESINKI_ZONE >>fired'
            token=$(rec status --root b --json | sed 's/.*"token":"\([^"]*\)".*/\1/')
            rec save --root a Note n --set count=7
            rec save --root a Note m --set count:int=8
            rec sync --root b
            rec save --root a Note n --set count=9
            rec sync --root b
            cat fired
            rec watch --root b --since $token --once | sed 's/,"time.*//'
            rec watch --root b --since $token --once --subscription large | sed 's/,"time.*//'
            """#)
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            run.output == """
                {"type":"subscription","subscription":"large","zone":"default","changes":\
                [{"change":"create","name":"m"},{"change":"update","name":"n"}]}
                default
                {"type":"changed","zone":"default","reason":"server","records":["m","n"]
                {"type":"subscription","subscription":"large","zone":"default","changes":\
                [{"change":"create","name":"m"},{"change":"update","name":"n"}]
                {"type":"changed","zone":"default","reason":"server","records":["n"]
                {"type":"subscription","subscription":"large","zone":"default","changes":\
                [{"change":"create","name":"m"},{"change":"update","name":"n"}]

                """)
    }
}
