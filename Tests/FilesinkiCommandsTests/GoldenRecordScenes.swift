import FilesinkiCommands

/// What the commands of records print.
extension GoldenTests {
    private static let record = ["rec save --root a Note n --set title=Hello --set count:int=3"]

    /// A record with an asset, which the other device knows.
    private static let asset = [
        "write p.txt hello", "rec save --root a Note n --set photo:asset=@p.txt",
        "rec sync --root b",
    ]

    /// Another device changes the record.
    private static let record2 = ["rec sync --root b", "rec save --root b Note n --set count=5"]

    /// A change of another device fires a subscription.
    private static let subscribed = [
        "rec sync --root b", "rec subscribe add --root b large --query Note --where count>4",
        "rec save --root a Note n --set count=5", "rec sync --root b",
    ]

    static let recordScenes: [Scene] = [
        Scene(
            name: "rec-save",
            command: "rec save --root a Note n --set title=Hello --set count:int=3"),
        Scene(
            name: "rec-save-away", before: ["move store gone"],
            command: "rec save --root a Note n --set count:int=3"),
        Scene(
            name: "rec-save-refused", before: record + record2,
            command: "rec save --root a Note n --set count=4 --policy unchanged", code: .conflict),
        Scene(name: "rec-get", before: record, command: "rec get --root a n"),
        Scene(
            name: "rec-get-public",
            before: record + ["rec save --root a --db public Note n --set title=All"],
            command: "rec get --root b --db public --fresh n"),
        Scene(
            name: "rec-save-other-database", before: record,
            command: "rec save --root a --db shared-team Note m --set of:reference=n", code: .usage),
        Scene(
            name: "rec-sync-public",
            before: ["rec save --root a --db public Note n --set title=All"],
            command: "rec sync --root b --db public"),
        Scene(name: "rec-schema-show", before: record, command: "rec schema show --root a"),
        Scene(name: "rec-schema-lock", before: record, command: "rec schema lock --root a"),
        Scene(
            name: "rec-schema-diff", before: record, command: "rec schema diff --root a",
            code: .negative,
            input: "type Note\nNote.count int\n"),
        Scene(
            name: "rec-save-asset", before: ["write p.txt hello"],
            command: "rec save --root a Note n --set photo:asset=@p.txt"),
        Scene(
            name: "rec-get-asset", before: asset, command: "rec get --root b n --asset photo",
            isText: true),
        Scene(
            name: "rec-get-asset-file", before: asset,
            command: "rec get --root b n --asset photo -o out.txt"),
        Scene(
            name: "rec-get-asset-absent", before: asset,
            command: "rec get --root b n --asset title -o out.txt", code: .negative),
        Scene(name: "rec-get-absent", command: "rec get --root a n", code: .negative),
        Scene(
            name: "rec-query",
            before: record + ["rec save --root a Note m --set title=Yes --set count:int=5"],
            command: "rec query --root a Note --sort -count --fields count --limit 1"),
        Scene(
            name: "rec-query-invalid",
            command: "rec query --root a Note --where count==", code: .usage),
        Scene(name: "rec-delete", before: record, command: "rec delete --root a n"),
        Scene(
            name: "rec-batch", before: record, command: "rec batch --root a", code: .conflict,
            input: """
                {"op":"create","name":"m","type":"Note","fields":{"count":1}}
                {"op":"create","name":"n","type":"Note","fields":{"count":1}}
                {"op":"update","name":"n","tag":"7","fields":{"count":9}}
                {"op":"delete","name":"x"}
                """),
        Scene(
            name: "rec-changes", before: record + ["rec delete --root a n"],
            command: "rec changes --root a --resync"),
        Scene(
            name: "rec-conflicts",
            before: record + record2 + [
                "rec save --root a Note n --set count=4 --policy unchanged"
            ],
            command: "rec conflicts --root a", code: .conflict),
        Scene(name: "rec-sync", before: record, command: "rec sync --root b"),
        Scene(
            name: "rec-sync-push-only", before: record + record2,
            command: "rec sync --root a --push-only", code: .negative),
        Scene(
            name: "rec-zones-list", before: record + ["rec zones create --root a notes"],
            command: "rec zones list --root a"),
        Scene(name: "rec-zones-create", command: "rec zones create --root a notes"),
        Scene(
            name: "rec-zones-delete",
            before: record + ["move store gone", "rec save --root a Note m --set title=Waits"],
            command: "rec zones delete --root a default"),
        Scene(
            name: "rec-zones-delete-twice",
            before: record + ["rec zones delete --root a default"],
            command: "rec zones delete --root a default", code: .negative),
        Scene(name: "rec-zones-purge", before: record, command: "rec zones purge --root a default"),
        Scene(name: "rec-zones-reset", before: record, command: "rec zones reset --root a default"),
        Scene(
            name: "rec-zones-changes",
            before: record + [
                "rec zones purge --root a default", "rec zones create --root a notes",
            ],
            command: "rec zones changes --root a"),
        Scene(
            name: "rec-sync-deleted",
            before: record + record2 + [
                "move store gone", "rec save --root b Note m --set title=Waits",
                "move gone store", "rec zones delete --root a default",
            ],
            command: "rec sync --root b", code: .negative),
        Scene(
            name: "rec-subscribe-add",
            command: "rec subscribe add --root a s --query Note --on update,create --once"),
        Scene(
            name: "rec-subscribe-list", before: record + subscribed,
            command: "rec subscribe list --root b"),
        Scene(name: "rec-subscribe-rm", command: "rec subscribe rm --root a s", code: .negative),
        Scene(name: "rec-index-rebuild", before: record, command: "rec index rebuild --root a"),
        Scene(name: "rec-status", before: record, command: "rec status --root a"),
    ]
}
