import FilesinkiTesting
import Foundation
import Testing

/// `libfilesinki.so` as programs that are not in Swift use it.
@Suite("FS-19: the C interface")
struct CInterfaceTests {
    let meeting: Meeting

    init() throws { meeting = try Meeting() }

    static func has(_ program: String) -> Bool {
        ["/usr/bin", "/usr/local/bin", "/bin"].contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    /// Runs a command to its end; what it wrote, also as errors.
    private func run(_ arguments: [String]) throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    private var places: [String] {
        [meeting.root("a").path, meeting.root("b").path, meeting.address]
    }

    @Test(
        "FS-19: C programs save, load, merge by a callback, observe and delete; keys and records, too",
        .enabled(if: has("cc"), "There is no C compiler."),
        arguments: ["devices", "items", "misuse"])
    func program(_ name: String) throws {
        let folder = try Built.folder
        let program = meeting.folder.path(name)
        let (code, said) = try run([
            "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-D_DEFAULT_SOURCE",
            "-I\(Built.package)/Sources/CFileSinki/include",
            "\(Built.package)/Tests/FileSinkiTests/C/\(name).c", "-o", program,
            "-L\(folder.path)", "-lfilesinki-c", "-Wl,-rpath,\(folder.path)",
        ])
        #expect(said == "")
        try #require(code == 0)
        #expect(try run([program] + places) == (0, "all is well\n"))
    }

    @Test(
        "FS-19: a Python script does the same by ctypes",
        .enabled(if: has("python3"), "There is no Python."))
    func script() throws {
        let library = try Built.folder.appending(path: "libfilesinki-c.so").path
        let script = "\(Built.package)/Tests/FileSinkiTests/C/devices.py"
        #expect(try run(["python3", script, library] + places) == (0, "all is well\n"))
    }
}
