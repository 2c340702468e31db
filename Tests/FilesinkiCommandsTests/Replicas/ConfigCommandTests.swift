import FilesinkiCommands
import Testing

@Suite("config get, set, unset and list")
struct ConfigCommandTests {
    @Test("get prints one setting, or all of a rule, and exits with 1 without any")
    func gotten() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write a/.filesinki.toml on-delete = "ask"\nmax-delete = 7\ngitignore = true\n\n[[rule]]\nmatch = "*.txt"\nstrategy = "newest"\n\n[[rule]]\nmatch = "*.md"\non-delete = "keep"\n
            $ config get on-delete --root a
            ask
            $ config get on-delete --root a --json
            {"type":"setting","key":"on-delete","value":"ask","default":false,"file":"WORLD/a/.filesinki.toml","line":1}
            $ config get max-delete --root a --json
            {"type":"setting","key":"max-delete","value":7,"default":false,"file":"WORLD/a/.filesinki.toml","line":2}
            $ config get gitignore --root a --json
            {"type":"setting","key":"gitignore","value":true,"default":false,"file":"WORLD/a/.filesinki.toml","line":3}
            $ config get rule.1.match --root a
            *.txt
            $ config get rule.1 --root a
            rule.1.match = "*.txt"
            rule.1.strategy = "newest"
            $ config get rule --root a
            rule.1.match = "*.txt"
            rule.1.strategy = "newest"
            rule.2.match = "*.md"
            rule.2.on-delete = "keep"
            $ config get rule --root a --json
            {"type":"setting","key":"rule.1.match","value":"*.txt","default":false,"file":"WORLD/a/.filesinki.toml","line":6}
            {"type":"setting","key":"rule.1.strategy","value":"newest","default":false,"file":"WORLD/a/.filesinki.toml","line":7}
            {"type":"setting","key":"rule.2.match","value":"*.md","default":false,"file":"WORLD/a/.filesinki.toml","line":10}
            {"type":"setting","key":"rule.2.on-delete","value":"keep","default":false,"file":"WORLD/a/.filesinki.toml","line":11}
            $ config get rule.3 --root a
            ! filesinki: WORLD/a/.filesinki.toml: 'rule.3' is not set. filesinki config list --root WORLD/a --defaults shows all settings.
            = 1
            $ config get strategy --root a
            ! filesinki: WORLD/a/.filesinki.toml: 'strategy' is not set. filesinki config list --root WORLD/a --defaults shows all settings.
            = 1
            $ config get strategy --defaults --root a
            auto, keep-both
            $ config get strategy --defaults --root a --json
            {"type":"setting","key":"strategy","value":"auto, keep-both","default":true}
            $ config get on-delete --defaults --root a --json
            {"type":"setting","key":"on-delete","value":"ask","default":false,"file":"WORLD/a/.filesinki.toml","line":1}
            $ config get colour --root a
            ! filesinki: .filesinki.toml: Unknown key: 'colour'. Use strategy, on-delete, gitignore, max-delete, bwlimit, ssh-command, [prune] and [[rule]].
            = 2
            $ config get colour --defaults --root a
            ! filesinki: .filesinki.toml: Unknown key: 'colour'. Use strategy, on-delete, gitignore, max-delete, bwlimit, ssh-command, [prune] and [[rule]].
            = 2
            $ config get a..b --root a
            ! filesinki: a..b: Invalid key. Write it as in the file, with dots and quotes: on-delete, rule.1.match.
            = 2
            $ config get '' --root a
            ! filesinki: Invalid key. Write it as in the file, with dots and quotes: on-delete, rule.1.match.
            = 2
            $ config get --root a
            ! filesinki: Missing expected argument '<key>'
            ! Help:  <key>  The setting, such as on-delete or rule.1.match.
            ! Usage: filesinki config get [<options>] <key>
            !   See 'filesinki config get --help' for more information.
            = 2
            $ config get on-delete --root a --device
            ! filesinki: WORLD/config/filesinki/config.toml: 'on-delete' is not set. filesinki config list --defaults shows all settings.
            = 1
            $ config get on-delete --root a --replica
            ! filesinki: WORLD/a/.filesinki/config.toml: 'on-delete' is not set. filesinki config list --root WORLD/a --defaults shows all settings.
            = 1
            $ config get on-delete --root a --replica --device
            ! filesinki: Give --device or --replica.
            ! Usage: filesinki config get [<options>] <key>
            !   See 'filesinki config get --help' for more information.
            = 2
            """#)
    }

    @Test("set says what it wrote where, and that a value is there already")
    func set() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ config set on-delete ask --root a
            ! on-delete = "ask" in WORLD/a/.filesinki.toml
            $ config set on-delete ask --root a
            ! Already set.
            $ config set on-delete keep --root a --json
            {"type":"setting","key":"on-delete","value":"keep","default":false,"file":"WORLD/a/.filesinki.toml","line":1,"changed":true}
            ! on-delete = "keep" in WORLD/a/.filesinki.toml
            $ config set on-delete keep --root a --json
            {"type":"setting","key":"on-delete","value":"keep","default":false,"file":"WORLD/a/.filesinki.toml","line":1,"changed":false}
            ! Already set.
            $ show a/.filesinki.toml
            on-delete = "keep"
            $ config set max-delete 5 --root a --json
            {"type":"setting","key":"max-delete","value":5,"default":false,"file":"WORLD/a/.filesinki.toml","line":2,"changed":true}
            ! max-delete = 5 in WORLD/a/.filesinki.toml
            $ config set gitignore yes --root a
            ! filesinki: .filesinki.toml: The value of 'gitignore' is a string. Write true or false.
            = 2
            $ config set gitignore true --root a -q
            $ show a/.filesinki.toml
            on-delete = "keep"
            max-delete = 5
            gitignore = true
            $ config set on-delete --root a
            ! filesinki: Missing expected argument '<value>'
            ! Help:  <value>  The value: text, a number, true or false; without quotes.
            ! Usage: filesinki config set [<options>] <key> <value>
            !   See 'filesinki config set --help' for more information.
            = 2
            $ config set colour red --root a
            ! filesinki: .filesinki.toml: Unknown key: 'colour'. Use strategy, on-delete, gitignore, max-delete, bwlimit, ssh-command, [prune] and [[rule]].
            = 2
            $ config set rule.1.match x --root a
            ! filesinki: .filesinki.toml: Rules can be shown, but not changed by this command. Change [[rule]] in the file with an editor.
            = 2
            $ config set strategy newest --root a --device
            ! strategy = "newest" in WORLD/config/filesinki/config.toml
            $ show config/filesinki/config.toml
            strategy = "newest"
            $ config set bwlimit 1M --root a --replica --json
            {"type":"setting","key":"bwlimit","value":"1M","default":false,"file":"WORLD/a/.filesinki/config.toml","line":1,"changed":true}
            ! bwlimit = "1M" in WORLD/a/.filesinki/config.toml
            $ show a/.filesinki/config.toml
            bwlimit = "1M"
            """#)
    }

    @Test("unset says where it removed a setting")
    func unset() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ config set on-delete ask --root a -q
            $ config set gitignore true --root a -q
            $ config unset on-delete --root a
            ! Removed on-delete from WORLD/a/.filesinki.toml.
            $ config unset on-delete --root a
            ! filesinki: WORLD/a/.filesinki.toml: 'on-delete' is not set. filesinki config list --root WORLD/a --defaults shows all settings.
            = 1
            $ config unset gitignore --root a --json
            {"type":"setting-removed","key":"gitignore","file":"WORLD/a/.filesinki.toml"}
            ! Removed gitignore from WORLD/a/.filesinki.toml.
            $ config unset on-delete --root a --device
            ! filesinki: WORLD/config/filesinki/config.toml: 'on-delete' is not set. filesinki config list --defaults shows all settings.
            = 1
            $ config unset --root a
            ! filesinki: Missing expected argument '<key>'
            ! Help:  <key>  The setting, such as on-delete.
            ! Usage: filesinki config unset [<options>] <key>
            !   See 'filesinki config unset --help' for more information.
            = 2
            $ show a/.filesinki.toml
            """#)
    }

    @Test("list prints all settings of a file, with --defaults those that are not set")
    func list() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ config list --root a
            $ write a/.filesinki.toml # ours\non-delete = "ask"\n[prune]\nkeep-last = 3\n
            $ config list --root a
            on-delete = "ask"
            prune.keep-last = 3
            $ config list --root a --json
            {"type":"setting","key":"on-delete","value":"ask","default":false,"file":"WORLD/a/.filesinki.toml","line":2}
            {"type":"setting","key":"prune.keep-last","value":3,"default":false,"file":"WORLD/a/.filesinki.toml","line":4}
            $ config list --root a --defaults
            on-delete = "ask"
            prune.keep-last = 3
            strategy = "auto, keep-both"  # default
            gitignore = false  # default
            max-delete = "50%"  # default
            $ config list --root a --device
            $ write a/.filesinki.toml on-delete = "often"\ngitignore = true\n
            $ config list --root a
            on-delete = "often"
            gitignore = true
            ! filesinki: .filesinki.toml: Line 1: Invalid value of on-delete: 'often'. Use keep, delete or ask.
            = 2
            $ config list --root a --json
            {"type":"setting","key":"on-delete","value":"often","default":false,"file":"WORLD/a/.filesinki.toml","line":1}
            {"type":"setting","key":"gitignore","value":true,"default":false,"file":"WORLD/a/.filesinki.toml","line":2}
            {"type":"problem","path":".filesinki.toml","code":"usage","message":"Line 1: Invalid value of on-delete: 'often'.","remedy":"Use keep, delete or ask."}
            = 2
            $ write a/.filesinki.toml on-delete\n
            $ config list --root a
            ! filesinki: .filesinki.toml: Line 1: Missing = after the key. Write key = value.
            = 2
            $ config get on-delete --root a
            ! filesinki: .filesinki.toml: Line 1: Missing = after the key. Write key = value.
            = 2
            $ config set on-delete keep --root a
            ! filesinki: .filesinki.toml: Line 1: Missing = after the key. Write key = value.
            = 2
            $ show a/.filesinki.toml
            on-delete
            """#)
    }

    @Test("the synced file and the replica's need a replica, the device's does not")
    func nowhere() async throws {
        try await World().follow(
            #"""
            $ config list
            ! filesinki: WORLD: Not in a replica. Make it one with filesinki init or filesinki clone. If it is on a disk, mount it.
            = 1
            $ config list --device
            $ config list --replica
            ! filesinki: WORLD: Not in a replica. Make it one with filesinki init or filesinki clone. If it is on a disk, mount it.
            = 1
            $ config set gitignore true --device
            ! gitignore = true in WORLD/config/filesinki/config.toml
            $ config get gitignore --device --json
            {"type":"setting","key":"gitignore","value":true,"default":false,"file":"WORLD/config/filesinki/config.toml","line":1}
            """#)
    }
}
