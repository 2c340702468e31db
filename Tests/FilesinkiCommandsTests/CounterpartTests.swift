import ArgumentParser
import Testing

@testable import FilesinkiCommands

@Suite("Commands and options of other tools")
struct CounterpartTests {
    @Test(
        "a command of another tool exits with 2 and names the one that does it here",
        arguments: [
            ("push", "sync"), ("pull", "sync"), ("fetch", "sync"), ("add", "sync"),
            ("commit", "sync"), ("backup", "sync"), ("cp", "sync"),
            ("snapshots", "log"), ("blame", "log PATH"), ("forget", "prune --keep-within 90d"),
            ("gc", "prune"), ("checkout", "restore PATH@VERSION"),
            ("revert", "restore PATH@VERSION"), ("reset", "restore PATH@VERSION"),
            ("undo", "restore PATH@VERSION"), ("mount", "restore --at TIME -o DIR"),
            ("info", "status"), ("find", "ls"), ("fsck", "check"), ("verify", "check"),
            ("put", "save PATH FILE"), ("get", "load PATH"), ("unlock", "doctor"),
            ("mergetool", "resolve PATH --tool meld"), ("version", "--version"),
            ("bisync", "sync"), ("stash", "restore PATH@VERSION"),
            ("untrack", "delete --keep PATH"),
            ("daemon", "watch"), ("st", "status"), ("copy", "sync"), ("annotate", "log PATH"),
            ("rebase", "sync"), ("resume", "sync"),
            ("remote add", "remote set URL"), ("remote set-url", "remote set URL"),
            ("remote get", "remote"), ("remote migrate", "remote set URL --migrate"),
            ("migrate", "remote set URL --migrate"), ("remote rm", "deinit"),
            ("remote move", "remote set URL --migrate"),
            ("recover", "restore PATH@VERSION"), ("trash", "ls --deleted"),
            ("ignore", "check-ignore PATH"), ("purge", "delete -r PATH"),
            ("filter-branch", "delete -r PATH"), ("cleanup", "prune"), ("df", "du"),
            ("who", "log PATH"), ("why", "explain PATH"), ("sparse-checkout", "only set PATH"),
            ("only all", "only disable"),
            ("kv incr", "kv set KEY 1 --add"), ("rec find", "rec query TYPE --where PREDICATE"),
            ("rec update", "rec save TYPE NAME --set FIELD=VALUE"),
            ("rec types", "rec schema show"),
            ("only rm", "only remove PATH"),
            ("only drop", "only remove PATH"), ("devices rm", "devices forget NAME"),
            ("exclude", "check-ignore PATH"), ("hide", "check-ignore PATH"),
            ("unignore", "check-ignore PATH"), ("ignore-list", "check-ignore PATH"),
            ("gitignore", "config set gitignore true"),
            ("secrets", "init DIR --remote URL"), ("filter-repo", "delete -r PATH"),
            ("rewrite", "delete -r PATH"), ("vacuum", "prune"), ("size", "du"), ("ncdu", "du"),
            ("usage", "du"), ("space", "stats"), ("quota", "stats"), ("free", "stats"),
            ("dedupe", "stats"), ("tag", "prune --keep-within 90d"),
            ("pin", "prune --keep-within 90d"), ("keep", "prune --keep-within 90d"),
            ("activity", "log"), ("reflog", "log"), ("whoami", "status"),
            ("rollback", "restore PATH@VERSION"), ("selective-sync", "only set PATH"),
            ("peers", "devices"), ("hosts", "devices"), ("share", "clone URL DIR"),
            ("pause", "sync --dry-run"), ("rescan", "sync"), ("snapshot", "sync"),
            ("merge-tool", "resolve PATH --tool meld"), ("config edit", "config set KEY VALUE"),
            ("remote get-url", "remote"), ("devices show", "devices"),
            ("devices rename", "init --device NAME"),
            ("pair", "clone URL DIR"), ("invite", "clone URL DIR"), ("link", "clone URL DIR"),
            ("ren", "mv OLD NEW"), ("override", "resolve --all --take here"),
            ("folders", "replicas"), ("evict", "only set PATH"), ("compact", "prune"),
            ("about", "stats"), ("stat", "ls -l PATH"), ("ignores", "check-ignore PATH"),
        ])
    func command(_ name: String, _ here: String) async throws {
        let words = name.split(separator: " ").map(String.init)
        for line in [words + ["x"], ["help"] + words] {
            let outcome = try await World().run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .usage)
            #expect(outcome.output.isEmpty)
            #expect(
                outcome.talk.hasPrefix("filesinki: \(words.last ?? ""): Unknown command. "))
            #expect(outcome.talk.hasSuffix(": filesinki \(here).\n"), "\(outcome.talk)")
        }
    }

    @Test(
        "an option of another tool is answered with what does it here",
        arguments: [
            ("-v", "--version"), ("-V", "--version"), ("sync -V", "--version"),
            ("status -s", "status --short"), ("ls -la", "ls -l"), ("list -a", "ls -l"),
            ("rm -f x", "delete -r PATH"), ("rm -rf x", "delete -r PATH"),
            ("sync -a", "sync"), ("sync -av", "sync"), ("sync --force", "sync --approve PLAN"),
            ("sync --delete", "sync --max-delete 90%"),
            ("sync --token-file x", "remote set URL --token-file FILE"),
            ("watch --fingerprint x", "remote set URL --fingerprint HEX"),
            ("mv -n x y", "mv NEW OLD"),
            ("log -p", "diff PATH 1 2"), ("log --oneline", "log"),
            ("log --stat", "diff PATH 1 2 --stat"),
            ("sync --exclude-from x", "sync --exclude PATTERN"),
            ("sync --log-file x", "sync --json"), ("sync --prefer x", "sync --strategy newest"),
            ("sync --batch", "sync"), ("sync --pull", "sync"), ("sync --watch", "watch"),
            ("sync --stats", "stats"),
            ("restore --target x", "restore --at TIME -o DIR"),
            ("restore x --version 2", "restore PATH@VERSION"), ("log -1", "log -n 1"),
            ("log -30", "log -n 30"),
            ("log --after x", "log --since TIME"), ("log --before x", "log --until TIME"),
            ("log --author x", "log --device NAME"), ("log --host x", "log --device NAME"),
            ("restore --source 12 x", "restore PATH --commit 12"),
            ("restore -r 12 x", "restore PATH --commit 12"),
            ("restore x --date 2024-05-01", "restore PATH --at TIME"),
            ("restore --include x", "restore --at TIME -o DIR PATH"),
            ("log --follow x", "log PATH"), ("du -s", "du --depth 0"), ("du -a", "du --depth 9"),
            ("prune --older-than 30d", "prune --keep-within 90d"),
            ("prune --max-age 30d", "prune --keep-within 90d"),
            ("prune --keep 3", "prune --keep-last 10"), ("prune --all", "prune --keep-last 1"),
            ("prune --dry", "prune --keep-last 10 --dry-run"), ("config --list", "config list"),
            ("sync --only x", "sync PATH"), ("init x --only y", "clone URL DIR --only PATH"),
            ("sync --remote x", "remote set URL"), ("mv -f x y", "delete PATH"),
            // An argument is missing, too; the option says more.
            ("resolve x --ours", "resolve PATH --take here"),
            ("undelete -r x", "undelete PATH"), ("undelete --all", "undelete '*'"),
            ("resolve x --theirs", "resolve PATH --take there"),
            ("rm --local x", "only set PATH"), ("sync --resync", "sync"),
            ("prune --keep-days 3", "prune --keep-within 90d"),
            ("prune --keep-tag x", "prune --keep-within 90d"),
            ("ls -R docs", "ls PATH"), ("ls -r", "ls PATH"), ("ls --recursive", "ls PATH"),
            ("ls -lR", "ls PATH"), ("ls -d", "ls --deleted"),
            ("ls --ignored", "check-ignore PATH"), ("status --ignored", "check-ignore PATH"),
            ("log --deleted", "ls --deleted"), ("log --diff-filter=D", "ls --deleted"),
            ("undelete --list", "ls --deleted"), ("undelete -l", "ls --deleted"),
            ("resolve --list", "conflicts"), ("resolve -l", "conflicts"),
            ("clone x y --filter z", "clone URL DIR --only PATH"),
            ("clone --sparse x y", "clone URL DIR --only PATH"),
            ("prune --repack", "prune --keep-last 10"), ("log --grep x", "log PATH"),
            ("resolve x --take here --dry-run", "diff --conflict PATH"),
            ("resolve -n x", "diff --conflict PATH"), ("only set -n x", "only list"),
            ("only set --dry-run x", "only list"), ("remote set x --migrate -n", "stats"),
            ("remote set x --dry-run", "stats"),
            ("diff x -1", "diff PATH 1 2"), ("diff x -2 -1", "diff PATH 1 2"),
        ])
    func option(_ line: String, _ here: String) async throws {
        let words = line.split(separator: " ").map { Array($0.utf8) }
        let outcome = try await World().run(bytes: words)
        #expect(outcome.code == .usage)
        let lines = outcome.talk.split(separator: "\n")
        #expect(lines[0].hasPrefix("filesinki: Unknown option '-"), "\(outcome.talk)")
        #expect(lines[1].hasSuffix(": filesinki \(here)."), "\(outcome.talk)")
        #expect(outcome.talk.contains("Usage: filesinki"))
    }

    @Test("a mistyped option is answered with the nearest of its command, if it is near")
    func mistypedOption() async throws {
        let world = try World()
        let near = try await world.run("ls", "--delet")
        #expect(near.talk.contains("\nDid you mean '--deleted'?\n"), "\(near.talk)")
        let nested = try await world.run("remote", "set", "x", "--migrat")
        #expect(nested.talk.contains("\nDid you mean '--migrate'?\n"), "\(nested.talk)")
        let far = try await world.run("ls", "--size")
        #expect(far.code == .usage && !far.talk.contains("Did you mean"), "\(far.talk)")
        #expect(far.talk.contains("See 'filesinki ls --help'"), "\(far.talk)")
        let json = try await world.run("ls", "--delet", "--json")
        #expect(json.text.contains(#""message":"Unknown option '--delet'.""#), "\(json.text)")
    }

    @Test("a conflict copy beside its original is answered with the comparison of their conflict")
    func copyAndOriginal() async throws {
        let copy = "d/a b (conflict pi 8fadf9e0).txt"
        for paths in [[copy, "d/a b.txt"], ["d/a b.txt", copy]] {
            let outcome = try await World().run(bytes: (["diff"] + paths).map { Array($0.utf8) })
            #expect(outcome.code == .usage)
            let hint = outcome.talk.split(separator: "\n").dropFirst().first
            #expect(
                hint
                    == "To compare the versions of a conflict: filesinki diff --conflict 'd/a b.txt'.",
                "\(outcome.talk)")
        }
        let other = try await World().run("diff", "a.txt", "b.txt")
        #expect(
            other.talk.contains("\nThe versions follow the path, without an @: "), "\(other.talk)")
    }

    @Test("the commands of the tables can be parsed, and none of their names is ours")
    func parsed() throws {
        let all = Array(Counterparts.commands.values) + Array(Counterparts.options.values)
        for counterpart in all where counterpart.command != "filesinki --version" {
            let words = counterpart.command.split(separator: " ").dropFirst().map(String.init)
            #expect(CommandNames.all.contains(CommandNames.wholeName(in: words)))
            #expect(throws: Never.self, "\(counterpart.command)") {
                let command = try NamedCommand.parse(words)
                #expect(command is any Command)
            }
        }
        for name in Counterparts.commands.keys {
            let words = name.split(separator: " ").map(String.init)
            let top = FilesinkiCommand.configuration.subcommands
            let group = top.first { $0.isNamed(words[0]) }
            let names = words.count == 1 ? top : group?.configuration.subcommands ?? []
            #expect(!names.isEmpty)
            #expect(!names.contains { $0.isNamed(words[words.count - 1]) }, "\(name)")
        }
    }

    @Test("a path behind only is answered with the command that takes it")
    func pathBehindOnly() async throws {
        let world = try World()
        #expect(
            try await world.run("only", "photos").talk.hasSuffix(": filesinki only set PATH.\n"))
        #expect(try await world.run("devices", "laptop").talk.hasSuffix(": filesinki devices.\n"))
        let near = try await world.run("only", "lst")
        #expect(near.talk.contains("'list'"), "\(near.talk)")
    }

    @Test("without arguments a short overview is printed, whose commands exist")
    func overview() async throws {
        let outcome = try await World().run(bytes: [])
        #expect(outcome.code == .done)
        #expect(outcome.lines.count <= 24)
        #expect(outcome.lines.allSatisfy { $0.count <= 80 })
        let commands = outcome.lines.filter { $0.hasPrefix("  filesinki ") }
        #expect(commands.count > 5)
        for line in commands {
            let words = line.split(separator: " ").dropFirst().map(String.init)
            #expect(CommandNames.all.contains(CommandNames.wholeName(in: words)), "\(line)")
        }
    }

    @Test("the headings of the help are plain")
    func headings() async throws {
        let help = try await World().run("help")
        #expect(help.lines.contains("REPLICAS:"), "\(help.text)")
        #expect(help.lines.contains("CHECKS AND TOOLS:"))
        #expect(!help.text.contains("SUBCOMMANDS"))
    }
}
