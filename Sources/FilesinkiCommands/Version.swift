import FilesinkiCompression

/// The version of the program, and of the libraries that it is linked with.
enum Version {
    /// The program's own, after semver.org.
    static let number = "0.1.0"

    /// One line for the program, one for each library.
    static var text: String {
        let libraries = CompressionLibraries.versions.map { "\($0.name) \($0.version)" }
        return (["filesinki \(number)"] + libraries).joined(separator: "\n")
    }
}
