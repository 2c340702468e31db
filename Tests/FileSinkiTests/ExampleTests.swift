import Foundation
import Testing

/// The examples, each as a process of its own.
@Suite("Examples")
struct ExampleTests {
    let meeting: Meeting

    init() throws { meeting = try Meeting() }

    /// Runs an example on a device to its end.
    @discardableResult
    private func run(
        _ name: String, _ device: String, _ arguments: String...
    ) throws -> [String] {
        let (process, output) = try start(name, device, arguments)
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    private func start(
        _ name: String, _ device: String, _ arguments: [String]
    ) throws -> (Process, Pipe) {
        let process = Process()
        process.executableURL = try Built.folder.appending(path: name)
        process.arguments = [meeting.root(device).path, meeting.store] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    @Test("a save game: both devices end with the better score")
    func saveGame() throws {
        #expect(try run("ExampleSaveGame", "a", "10") == ["Here: 10.0."])
        let lines = try run("ExampleSaveGame", "b", "5")
        #expect(lines.contains("Here: 5.0."))
        #expect(lines.contains { $0.contains("10.0") })
        #expect(try run("ExampleSaveGame", "b", "20").contains("Here: 20.0."))
        #expect(meeting.text("b", "SaveGames/player1.save") == #"{"score":20}"#)
    }

    @Test("trophies: those of both devices are merged, once")
    func trophies() throws {
        #expect(try run("ExampleTrophies", "a", "cup") == ["uploaded: cup"])
        #expect(try run("ExampleTrophies", "b", "bow") == ["merged: bow cup"])
        #expect(try run("ExampleTrophies", "a", "oak") == ["merged: bow cup oak"])
        #expect(try run("ExampleTrophies", "b", "elm") == ["merged: bow cup elm oak"])
    }

    @Test("a document of pages: the program merges its own format")
    func pages() throws {
        #expect(try run("ExampleBinaryMerge", "a", "one") == ["one"])
        #expect(try run("ExampleBinaryMerge", "b", "two") == ["one two"])
        #expect(try run("ExampleBinaryMerge", "a", "three") == ["one three two"])
    }

    @Test("a list of things to do: both devices have it, and what is done is done")
    func records() throws {
        #expect(try run("ExampleRecords", "a", "add", "bread") == ["added item-bread"])
        #expect(try run("ExampleRecords", "b", "add", "apples") == ["added item-apples"])
        #expect(try run("ExampleRecords", "b", "list") == ["apples", "bread"])
        #expect(try run("ExampleRecords", "b", "done", "item-bread") == ["done item-bread"])
        #expect(try run("ExampleRecords", "a", "list") == ["apples"])
        #expect(
            try run("ExampleRecords", "a", "rename", "item-apples", "pears")
                == ["renamed item-apples"])
        // Without the store: what is added and deleted is here, and there as soon as it is back.
        try meeting.unplug()
        #expect(try run("ExampleRecords", "b", "add", "milk") == ["added item-milk"])
        #expect(
            try run("ExampleRecords", "b", "delete", "item-bread") == ["deleted item-bread"])
        #expect(
            try run("ExampleRecords", "b", "list")
                == ["offline; on this device:", "apples", "milk"])
        try meeting.plugIn()
        #expect(try run("ExampleRecords", "b", "list") == ["milk", "pears"])
        #expect(try run("ExampleRecords", "a", "list") == ["milk", "pears"])
    }

    @Test("an observer prints changes by another device")
    func observer() throws {
        let (process, output) = try start("ExampleObserver", "b", ["2"])
        try run("ExampleBinaryMerge", "a", "one")
        try run("ExampleTrophies", "a", "cup")
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = String(decoding: bytes, as: UTF8.self)
        #expect(lines.contains("changed document.pages: 4 bytes"))
        #expect(lines.contains("changed trophies.json"))
    }
}

/// What was built beside the tests.
enum Built {
    static var folder: URL {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: own).deletingLastPathComponent()
        }
    }

    /// The package's folder.
    static let package: String = {
        // Three steps up: the file, the target's folder, `Tests`.
        var folder = URL(filePath: #filePath)
        for _ in 1...3 { folder.deleteLastPathComponent() }
        return folder.path
    }()
}
