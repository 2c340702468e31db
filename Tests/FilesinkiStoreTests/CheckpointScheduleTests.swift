import Testing

@testable import FilesinkiStore

@Suite struct CheckpointScheduleTests {
    @Test(
        "a checkpoint is due 256 commits after the last one, and 16 after a failed attempt",
        arguments: [
            (0, 0, 255, false), (0, 0, 256, true), (0, 0, 1000, true), (100, 0, 355, false),
            (100, 0, 356, true), (100, 0, 99, false), (0, 260, 260, false), (0, 260, 275, false),
            (0, 260, 276, true), (0, 260, 259, true),
        ] as [(UInt64, UInt64, UInt64, Bool)])
    func due(_ newest: UInt64, _ failed: UInt64, _ sequence: UInt64, _ isDue: Bool) {
        #expect(CheckpointSchedule(newest: newest, failed: failed).isDue(at: sequence) == isDue)
    }

    @Test func `without a failure nothing is waited for`() {
        #expect(CheckpointSchedule(newest: 0).failed == 0)
        #expect(CheckpointSchedule(newest: 0).isDue(at: 256))
        #expect(CheckpointSchedule(newest: 5, interval: 3).isDue(at: 8))
        #expect(!CheckpointSchedule(newest: 5, interval: 3).isDue(at: 7))
    }
}
