import Glibc

/// A file of the program's own state to which lines are appended, each in one system call.
///
/// The first line begins with a newline, because a power cut may have left a part of a line.
package final class AppendedFile: Sendable {
    private let handle: FileHandle

    /// Opens the file, and creates it with mode 0600 if it does not exist.
    package init(_ path: String) throws(SystemError) {
        handle = try FileHandle(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, mode: 0o600)
        try handle.write([UInt8(ascii: "\n")])
    }

    /// Appends bytes that end with a newline. They are on disk after ``sync()``.
    package func append(_ line: [UInt8]) throws(SystemError) { try handle.write(line) }

    package func sync() throws(SystemError) { try handle.sync() }
}
