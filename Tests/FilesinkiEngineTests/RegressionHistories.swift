import FilesinkiTesting
import Testing

/// Histories in which the simulation once found a law broken, shrunk to what it takes.
@Suite struct RegressionHistories {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let history: SimulationHistory

        init(_ name: String, replicas: Int = 2, seed: UInt64 = 1, _ steps: SimulationStep...) {
            self.name = name
            history = SimulationHistory(replicas: replicas, seed: seed, steps: steps)
        }

        init(_ name: String, beginning: [SimulationStep], _ steps: SimulationStep...) {
            self.name = name
            history = SimulationHistory(replicas: 2, steps: beginning + steps)
        }

        var testDescription: String { name }
    }

    static let rows = [
        Row(
            "a save before the first sync stores what it publishes",
            .run(.init(0, .save("a", serial: 1)))),
        Row(
            "a folder takes the name of a file that is moved to its conflict name", replicas: 4,
            seed: 9, .user(2, .write("a", serial: 1, .replacing)),
            .user(0, .write("a/b", serial: 2, .replacing))),
        Row(
            "what a run for one path saw of a deleted one does not come back", replicas: 3,
            .user(0, .write("a/x", serial: 1, .replacing)), .run(.init(0)),
            .run(.init(1, .sync(["a/y"]))), .run(.init(0, .delete("a/x")))),
        Row(
            "a folder's new files are in the history before it is deleted",
            .user(0, .write("b/z", serial: 1, .replacing)), .run(.init(0, .delete("b")))),
        Row(
            "a killed run's file that was deleted elsewhere stays deleted",
            .run(.init(0)), .run(.init(1)), .user(0, .write("x", serial: 2, .replacing)),
            .user(1, .write("a", serial: 3, .replacing)), .run(.init(1)),
            .run(
                .init(
                    0,
                    [
                        .init(at: 6, .meanwhile(.run(.init(1, .delete("a"))))),
                        .init(at: 7, .isKilledAfter),
                    ]))),
        Row(
            "a lost manifest does not bring a deleted link back, though one path is loaded first",
            .user(1, .link("z", serial: 2)), .run(.init(1)), .run(.init(0)), .loseManifest(0),
            .user(1, .remove("z")), .run(.init(1)), .run(.init(0, .load("y")))),
        Row(
            "a folder is deleted in which a link took a folder's place",
            .user(0, .write("a/b/x", serial: 3, .replacing)), .run(.init(0)),
            .user(0, .link("a/b", serial: 11)), .run(.init(0, .delete("a")))),
        Row(
            "a file whose conflict copy cannot be fetched keeps its name",
            .user(1, .write("b", serial: 1, .replacing)), .run(.init(1)),
            .user(0, .link("b/z", serial: 2)), .run(.init(0, [.init(at: 6, .failsBefore)]))),
        Row(
            "an edit follows a renamed folder into the place of a file", replicas: 3,
            .user(2, .write("b/x", serial: 2, .inPlace)), .run(.init(2)), .run(.init(1)),
            .user(0, .write("a/b", serial: 8, .inPlace)), .user(1, .rename("b", to: "a/b")),
            .run(.init(0)), .user(0, .write("b/x", serial: 11, .stealthy))),
        Row(
            "a file whose mode was only touched gives way to a folder",
            .user(1, .write("b", serial: 5, .replacing)), .run(.init(1)), .run(.init(0)),
            .user(0, .write("b/x", serial: 8, .replacing)), .run(.init(0)),
            .user(1, .changeMode("b", 0o644))),
        Row(
            "an edit follows a renamed file into the place of an empty folder",
            .user(0, .makeFolder("a/b")), .user(0, .write("b", serial: 2, .replacing)),
            .run(.init(0)), .run(.init(1)), .user(1, .rename("b", to: "a/b")),
            .run(
                .init(
                    0,
                    [
                        .init(at: 2, .meanwhile(.user(0, .write("b", serial: 4, .inPlace)))),
                        .init(at: 3, .meanwhile(.run(.init(1)))),
                    ]))),
        Row(
            "a folder with a conflict copy becomes a symlink elsewhere",
            .user(0, .write("b/z", serial: 1, .replacing)),
            .user(1, .write("b/z", serial: 2, .replacing)), .run(.init(0)), .run(.init(1)),
            .run(.init(0)), .user(0, .link("b", serial: 3))),
        Row(
            "a file takes the name of a folder whose ignored file was deleted elsewhere",
            .ignore(1, "x"), .user(0, .write("a/x", serial: 1, .replacing)),
            .user(1, .write("a", serial: 2, .replacing)), .run(.init(0, .delete("a")))),
        Row(
            "what a first sync in batches has received is deleted meanwhile",
            .user(1, .write("a/b/x", serial: 2, .inPlace)),
            .user(1, .write("b/x", serial: 3, .replacing)),
            .user(0, .write("y.txt", serial: 6, .stealthy)), .run(.init(1)),
            .user(1, .remove("b/x")),
            .run(
                .init(
                    0, batchSize: 2, [.init(at: 7, .meanwhile(.run(.init(1, batchSize: 3))))]))),
        Row(
            "a renamed folder is not deleted by a run in batches that is killed",
            .run(.init(1, .save("a/b/x", serial: 10), batchSize: 2)),
            .user(0, .write("a/x", serial: 11, .inPlace)),
            .user(0, .write("c/x", serial: 12, .replacing)), .run(.init(1)), .run(.init(0)),
            .user(1, .rename("a", to: "c/x")), .run(.init(1)), .user(0, .link("c/x", serial: 18)),
            .run(.init(0, batchSize: 3, [.init(at: 12, .isKilledAfter)]))),
        Row(
            "a replica that lost its manifest and prunes learns what was deleted before",
            replicas: 3,
            .user(0, .write("x", serial: 3, .replacing)), .run(.init(0)), .run(.init(1)),
            .run(.init(2)), .run(.init(2, .save("y.txt", serial: 4))), .forgetDevices,
            .user(1, .rename("x", to: "y")), .run(.init(1)), .loseManifest(2),
            .run(.init(2, .prune(keepLast: 1)))),
        Row(
            "an old version without a base is no new file, although a checkpoint lists the last one",
            replicas: 3,
            .user(0, .write("x", serial: 1, .replacing)), .run(.init(0)), .run(.init(2)),
            .ignore(2, "x"), .user(0, .write("x", serial: 2, .replacing)), .run(.init(0)),
            .user(0, .write("x", serial: 3, .replacing)), .run(.init(0)),
            .user(0, .remove("x")), .run(.init(0)), .run(.init(2)), .ignore(2, nil),
            .loseManifest(2)),
        Row(
            "an ignored folder is not published by a load of what the store does not have in it",
            .ignore(0, "/b"), .user(0, .makeFolder("b")), .run(.init(0, .load("b/x")))),
        Row(
            "what came while a deletion began, and could not be published, stays",
            .run(
                .init(
                    0, .delete("a"), batchSize: 3,
                    [
                        .init(at: 1, .meanwhile(.user(0, .link("a", serial: 5)))),
                        .init(at: 4, .goesAway),
                    ]))),
        Row(
            "a deletion that waits because of a rule tells others what it deleted", replicas: 4,
            seed: 105182,
            .user(0, .write("a/notes.txt", serial: 2, .replacing)), .run(.init(0)), .run(.init(1)),
            .run(.init(2)), .choose(0, ["a"]), .ignore(1, "*.txt"),
            .user(2, .rename("a/notes.txt", to: "x")), .loseManifest(0),
            .user(1, .write("a/b/x", serial: 4, .stealthy)), .run(.init(2, batchSize: 2)),
            .user(1, .write("c/d/y.txt", serial: 9, .replacing)), .run(.init(1, batchSize: 1))),
        Row(
            "what was ignored while others edited it is a stale copy after they have renamed it",
            replicas: 5, seed: 6_005_455,
            .user(0, .write("a/notes.txt", serial: 2, .text)), .run(.init(0)), .run(.init(2)),
            .run(.init(3)), .run(.init(4)), .ignore(4, "*.txt"), .user(3, .rename("a", to: "list")),
            .run(
                .init(
                    1, .save("list", serial: 4), batchSize: 2,
                    [
                        .init(
                            at: 3,
                            .meanwhile(.user(2, .edit("a/notes.txt", .add(at: 0, serial: 6)))))
                    ])),
            .run(.init(2, batchSize: 1, excluded: "x")),
            .run(
                .init(
                    4, .sync(["c/x"]), strategy: "larger", batchSize: 1, excluded: "*.txt")),
            .ignore(4, nil)),
        Row(
            "an edit of a file that was renamed to a folder's name stays where the folder stays",
            replicas: 3, seed: 6_100_441,
            .user(0, .write("a/notes.txt", serial: 2, .text)),
            .user(0, .write("data.json", serial: 3, .text)), .run(.init(0)), .run(.init(2)),
            .user(2, .edit("data.json", .add(at: 2, serial: 4))), .ignore(2, "*.txt"),
            .user(0, .rename("data.json", to: "a"))),
        Row(
            "a file in the place of a folder deletes nothing that the run leaves out of it",
            seed: 6_204_326,
            .user(1, .write("a/b/x", serial: 1, .replacing)),
            .run(.init(1, strategy: "keep-both")), .user(1, .write("b", serial: 5, .replacing)),
            .user(1, .write("a/b", serial: 6, .large)),
            .run(.init(1, batchSize: 1, excluded: "x"))),
        Row(
            "a file that could not be sent is not deleted", replicas: 3, seed: 6_203_081,
            .ignore(0, "x"), .run(.init(1, .save("a/b/x", serial: 2))),
            .run(.init(0, batchSize: 3, excluded: "/b")),
            .run(
                .init(
                    2, batchSize: 1,
                    [.init(at: 6, .meanwhile(.user(0, .write("a", serial: 3, .replacing))))])),
            .run(.init(0, .delete("a"), batchSize: 3))),
        Row(
            "a file in the place of a folder with what was moved out of it is named as not sent",
            replicas: 5, seed: 6_201_864,
            .user(0, .write("a/notes.txt", serial: 2, .text)), .run(.init(0)),
            .run(.init(3, batchSize: 3, excluded: "/b")), .choose(3, ["a"]),
            .user(3, .rename("a/notes.txt", to: "x")),
            .user(3, .write("a", serial: 7, .stealthy))),
        Row(
            "what was moved out of a partial replica, and renamed elsewhere, keeps no folder",
            replicas: 3, seed: 6_300_240,
            .user(0, .write("a/notes.txt", serial: 2, .text)), .run(.init(0)), .run(.init(2)),
            .choose(2, ["a"]), .user(0, .rename("a", to: "list")),
            .user(2, .rename("a/notes.txt", to: "c/d/y.txt"))),
        Row(
            "a folder that was moved out of a partial replica is not deleted by a load below it",
            replicas: 3, seed: 6_803_967,
            .user(0, .write("a/notes.txt", serial: 2, .text)), .run(.init(0)), .run(.init(1)),
            .choose(1, ["a"]), .user(1, .rename("a", to: "list")),
            .run(
                .init(
                    2, batchSize: 2,
                    [.init(at: 6, .meanwhile(.run(.init(1, .load("a/b/x"), batchSize: 3))))]))),
        Row(
            "an edit that is merged into a conflict copy beside a folder is in the history",
            replicas: 5, seed: 6_404_064,
            .user(0, .write("a/notes.txt", serial: 2, .text)),
            .user(0, .write("data.json", serial: 3, .text)), .run(.init(0)), .run(.init(1)),
            .run(.init(2)), .user(1, .edit("data.json", .add(at: 4, serial: 4))),
            .user(2, .rename("data.json", to: "a")),
            .user(0, .edit("data.json", .add(at: 4, serial: 5))),
            .user(0, .rename("a/notes.txt", to: "a/y.txt"))),
        Row(
            "a save whose place a folder takes meanwhile says so", replicas: 3, seed: 6_504_115,
            .user(2, .write("a", serial: 4, .replacing)),
            .run(
                .init(
                    2, .save("a", serial: 6), batchSize: 1,
                    [.init(at: 9, .meanwhile(.user(2, .write("a/x", serial: 7, .stealthy))))]))),
        Row(
            "a new link that is gone when its conflict copy was made is no change any more",
            replicas: 4, seed: 6_500_272,
            .user(1, .link("a/b", serial: 1)), .user(2, .write("a/b", serial: 2, .replacing)),
            .run(
                .init(
                    1, .delete("c/d/y.txt"), batchSize: 2,
                    [.init(at: 7, .meanwhile(.run(.init(3, batchSize: 2, excluded: "/a/x"))))])),
            .run(.init(2, batchSize: 1, excluded: "x")),
            .run(
                .init(
                    1,
                    [
                        .init(
                            at: 10,
                            .meanwhile(
                                .run(
                                    .init(
                                        0, batchSize: 3,
                                        [
                                            .init(
                                                at: 1,
                                                .meanwhile(
                                                    .user(1, .write("a", serial: 3, .stealthy)))),
                                            .init(at: 12, .failsBefore),
                                        ]))))
                    ]))),
        Row(
            "an edit that came during a save is a version of the path, and may be replaced",
            replicas: 3, seed: 7_320_654,
            .user(0, .write("a/notes.txt", serial: 2, .text)), .run(.init(0)), .run(.init(2)),
            .loseManifest(2),
            .run(
                .init(
                    2, .save("a/notes.txt", serial: 5), batchSize: 2,
                    [
                        .init(
                            at: 11,
                            .meanwhile(.user(2, .edit("a/notes.txt", .add(at: 2, serial: 6)))))
                    ]))),
        Row(
            "what this replica has deleted does not come back in batches, when its manifest is lost",
            replicas: 3, seed: 5_706_704,
            .user(1, .write("b/x", serial: 2, .stealthy)),
            .run(.init(1, strategy: "newest")), .run(.init(0, .delete("b"), batchSize: 1)),
            .loseManifest(0), .run(.init(0, batchSize: 1))),
        Row(
            "a folder that becomes a link under a run is scanned again", replicas: 5,
            seed: 6_008_639,
            .run(
                .init(
                    2,
                    [
                        .init(at: 8, .failsBefore),
                        .init(at: 7, .meanwhile(.user(2, .link("a/b", serial: 3)))),
                    ])),
            .user(4, .write("a/b/x", serial: 4, .replacing)), .user(4, .changeMode("a", 0o600))),
        Row(
            "a folder above what is held comes back while an empty folder is in it elsewhere",
            replicas: 3, seed: 12_002_131,
            .choose(0, ["c/d", "a/x"]), .user(0, .makeFolder("a/b")), .user(2, .makeFolder("a/b")),
            .run(.init(0)), .user(0, .rename("a", to: "b"))),
    ]

    /// Another device publishes and acknowledges the store's first commit between two requests of a
    /// first sync: nothing is missing then.
    static let beginnings = (1...16).map { at in
        Row(
            "E4.4 another's first commit at request \(at) of a first sync",
            .user(0, .write("a", serial: 1, .replacing)),
            .user(1, .write("b", serial: 2, .replacing)),
            .run(.init(1, [.init(at: at, .meanwhile(.run(.init(0))))])))
    }

    /// A run that receives the end of a rule is killed at each of its requests: what the rule ignored is not sent.
    static let endings = (1...16).map { at in
        Row(
            "a run that receives the end of a rule is killed at request \(at)",
            .user(0, .rule("x", serial: 1)), .run(.init(0)), .run(.init(1)),
            .user(1, .write("a/x", serial: 2, .replacing)), .run(.init(1)),
            .user(0, .remove(".filesinkiignore")), .user(0, .write("b", serial: 3, .replacing)),
            .run(.init(0)), .run(.init(1, [.init(at: at, .isKilledAfter)])), .run(.init(1)))
    }

    /// A rule names a place, and the folder of a private file is renamed.
    static let moves = [
        Row(
            "a folder is renamed again after a run for another path, and its withheld file replaced",
            beginning: withheld, .user(1, .move("b", to: "e")),
            .run(.init(1, .save("k", serial: 4))), .user(1, .write("e/x", serial: 5, .replacing)),
            .user(1, .move("e", to: "c")), .run(.init(1))),
        Row(
            "a renamed folder gets its name back after an offline run",
            beginning: withheld, .user(1, .move("b", to: "e")),
            .run(.init(1, [.init(at: 1, .goesAway)])),
            .user(1, .write("e/x", serial: 5, .replacing)), .user(1, .move("e", to: "b")),
            .run(.init(1))),
        Row(
            "a folder had a name that a rule knows only while another path was saved",
            .user(0, .rule("/b/x", serial: 1)), .user(0, .write("a/y.txt", serial: 2, .replacing)),
            .run(.init(0)), .run(.init(1)), .user(1, .move("a", to: "b")),
            .user(1, .write("b/x", serial: 3, .replacing)),
            .run(.init(1, .save("k", serial: 4))), .user(1, .move("b", to: "a")),
            .run(.init(1))),
        Row(
            "a folder is made anew, and a file is saved in that",
            beginning: ignored, .user(1, .move("a", to: "b")), .user(1, .makeFolder("a")),
            .run(.init(1, .save("a/z", serial: 4))), .run(.init(1))),
        Row(
            "a folder is swapped with another one, and a file is saved in that",
            beginning: ignored, .user(1, .write("b/z", serial: 4, .replacing)), .run(.init(1)),
            .user(1, .swap("a", "b")), .run(.init(1, .save("a/z", serial: 5))), .run(.init(1))),
        Row(
            "a folder is made anew while the replica does not hold its new name",
            beginning: ignored, .choose(1, ["a"]), .run(.init(1)),
            .user(1, .move("a", to: "b")), .user(1, .write("a/x", serial: 4, .replacing)),
            .user(1, .write("a/z", serial: 5, .replacing)), .run(.init(1)), .choose(1, nil),
            .run(.init(1))),
        Row(
            "a folder is made anew, and a run excludes its new name",
            beginning: ignored, .user(1, .move("a", to: "b")),
            .user(1, .write("a/x", serial: 4, .replacing)),
            .user(1, .write("a/z", serial: 5, .replacing)),
            .run(.init(1, excluded: "/b")), .run(.init(1))),
        Row(
            "an editor keeps what it replaces of a withheld file",
            beginning: withheld, .user(1, .rename("b/x", to: "b/x.bak")),
            .user(1, .write("b/x", serial: 4, .replacing)), .run(.init(1))),
        Row(
            "a save names a private file after its folder was renamed",
            beginning: ignored, .user(1, .move("a", to: "b")),
            .run(.init(1, .save("b/x", serial: 4)))),
        Row(
            "a private file is loaded after its folder was renamed",
            beginning: ignored, .user(1, .move("a", to: "b")), .run(.init(1, .load("b/x")))),
        Row(
            "a folder gets its name back, another one that in between, and it a third name",
            beginning: withheld, .user(1, .move("b", to: "a")),
            .run(.init(1, .save("b/z", serial: 4))), .user(1, .move("a", to: "e")),
            .run(.init(1))),
        Row(
            "a folder gets a name by which a rule ignores what is in it, and another device sends a file for that",
            replicas: 3, .user(0, .rule("/b/x", serial: 1)),
            .user(0, .write("a/y.txt", serial: 2, .replacing)),
            .run(.init(0)), .run(.init(1)), .run(.init(2)),
            .user(2, .write("a/x", serial: 3, .replacing)), .run(.init(2)),
            .user(1, .move("a", to: "b")), .user(1, .write("b/x", serial: 4, .replacing)),
            .run(.init(1))),
    ]

    /// A rule ignores `a/x` of replica 1.
    private static let ignored: [SimulationStep] = [
        .user(0, .rule("/a/x", serial: 1)), .user(0, .write("a/y.txt", serial: 2, .replacing)),
        .run(.init(0)), .run(.init(1)), .user(1, .write("a/x", serial: 3, .replacing)),
        .run(.init(1)),
    ]

    /// The file is withheld as `b/x`.
    private static let withheld: [SimulationStep] =
        ignored + [.user(1, .move("a", to: "b")), .run(.init(1))]

    @Test(arguments: rows + beginnings + endings + moves)
    func `every law holds`(_ row: Row) async throws {
        let violations = try await row.history.violations()
        #expect(violations.isEmpty, "\(row.history)")
    }
}
