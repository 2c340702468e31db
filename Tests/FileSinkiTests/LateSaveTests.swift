import FileSinki
import FilesinkiTesting
import Foundation
import Testing

/// A save that is not based on the newest content, while its merge is running.
@Suite("Late saves")
struct LateSaveTests {
    let meeting: Meeting
    let a: FileSinki
    let b: FileSinki

    init() async throws {
        meeting = try Meeting()
        a = try await meeting.sinki("a")
        b = try await meeting.sinki("b")
    }

    /// Runs the command on the second root, as another process does.
    private func filesinki(_ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = try Built.folder.appending(path: "filesinki")
        process.arguments = arguments + ["--root", meeting.root("b").path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "when the process ends at the merge, its save is published and the other is in the history"
    )
    func unanswered() async throws {
        try await a.save(Data("one".utf8), to: "late")
        #expect(try await b.load(from: "late") == Data("one".utf8))
        try await a.save(Data("two".utf8), to: "late")
        // Comes here behind the program's back.
        try await FileSinki(root: meeting.root("b")).sync()
        let asked = Calls<Data>()
        let task = Task { [b] in
            // Never comes to an answer: to the root that is as if its process was killed.
            try await b.save(Data("three".utf8), to: "late") { _, there, _ in
                asked.note(there)
                try? await Task.sleep(for: .seconds(3600))
                return nil
            }
        }
        #expect(try await eventually { asked.count == 1 })
        #expect(asked.all == [Data("two".utf8)])
        _ = try filesinki("sync")
        #expect(try await a.load(from: "late") == Data("three".utf8))
        #expect(try filesinki("show", "late@2") == "two")
        _ = try filesinki("restore", "late@2")
        #expect(meeting.text("b", "late") == "two")
        task.cancel()
        _ = await task.result
    }
}
