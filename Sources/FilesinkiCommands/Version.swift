import FilesinkiCompression
import FilesinkiText

/// The version of the program, and of the libraries that it is linked with.
enum Version {
    /// The program's own, after semver.org.
    static let number = "0.1.0"

    /// The version of the contract for `--json`: see `Docs/CommandLine.md`. It goes up when a member
    /// that was there changes or goes; new types and members leave it as it is.
    static let contract = 1

    /// One line for the program, one for each library.
    static var text: String {
        let libraries = CompressionLibraries.versions.map { "\($0.name) \($0.version)" }
        return (["filesinki \(number)"] + libraries).joined(separator: "\n")
    }

    static func show(isJSON: Bool, in console: Console) throws {
        guard isJSON else { return try console.output.line(text) }
        var object: JSONObject = ["type": "program"]
        object.add("version", number)
        object.add("json", contract)
        for library in CompressionLibraries.versions { object.add(library.name, library.version) }
        try console.output.json(object)
    }
}
