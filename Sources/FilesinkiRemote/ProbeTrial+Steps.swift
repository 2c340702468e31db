extension ProbeTrial {
    static let steps = [
        Step(
            name: "one-winner",
            promise:
                "Of all who fill one slot at once, exactly one wins, and its bytes never change.",
            consequence: "Of two devices that sync at once, one would lose what it sent."
        ) { try await $0.race() },
        Step(
            name: "objects", promise: "What was put is read back whole.",
            consequence: "Contents would arrive damaged, and be refused."
        ) { try await $0.putAndGet() },
        Step(
            name: "ranges", promise: "A part of an object can be read.",
            consequence: "Single files could not be read out of a pack."
        ) { try await $0.readRanges() },
        Step(
            name: "absence", promise: "A missing key is known to be missing.",
            consequence: "The end of the log would not be found."
        ) { try await $0.readMissing() },
        Step(
            name: "listing", promise: "A list shows what is there, in order, page by page.",
            consequence: "Devices and packs would be overlooked."
        ) { try await $0.listAll() },
        // After the lists, which are not yet disturbed by deletions.
        Step(
            name: "whole-or-nothing",
            promise: "An upload that is cut is not seen, and takes nothing away.",
            consequence: "After a broken connection a part would stand where a whole one should."
        ) { try await $0.cutUploads() },
    ]

    /// The last one, which also tidies up.
    static let deletion = Step(
        name: "deletion", promise: "What is deleted is gone, and of a missing key it succeeds.",
        consequence: "Objects that are no longer needed could not be removed."
    ) { trial in
        try await trial.cleanUp()
        return "Everything that was tried was removed again."
    }
}
