import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiTesting
import Testing

@testable import FilesinkiS3

/// OpenStack Swift answers 412 when it is asked politely, and lets several win a race.
@Suite(
    .enabled(
        if: RealServer.swift.isInstalled, "OpenStack Swift is not installed, nor SWIFT_VENV named"))
struct SwiftTests {
    @Test func `the probe refuses it`() async throws {
        let bucket = try await LiveBucket.at(.swift, LiveBucket.swiftKey, bucket: "filesinki")
        let report = try await SlotProbe(systemContext: .ofMachine) {
            RetryingRemote(try bucket.remote(), systemContext: .ofMachine)
        }.testRemote()
        for check in report.checks { print("swift:", check.name, check.holds, check.detail) }
        #expect(!report.isFit)
        #expect(report.checks.first { $0.name == "one-winner" }?.holds == false)
    }
}
