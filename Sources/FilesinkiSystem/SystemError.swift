package import FilesinkiModel
import Glibc

/// A system call that failed: the value of `errno`.
///
/// What it means to a person is said in one place, ``failure(_:_:of:)``.
package struct SystemError: Error, Hashable, Sendable {
    /// The value of `errno`, such as `ENOSPC`.
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    /// The error that the last system call of this thread left.
    package static var last: SystemError { SystemError(errno) }

    /// Whether nothing is at the path, or a part of it is not a folder.
    package var isMissing: Bool { number == ENOENT || number == ENOTDIR }

    /// The system's own words, such as `No space left on device`.
    package var words: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            return strerror_r(number, base, buffer.count) == 0
                ? String(cString: base) : "error \(number)"
        }
    }
}

extension SystemError {
    /// Runs system calls on a file, and throws the failure that their error means.
    ///
    /// - Parameters:
    ///   - action: What is tried, as it follows "Cannot", such as `open the file`.
    ///   - path: The file it is tried on.
    ///   - role: What the file is to the program.
    package static func reported<Result: ~Copyable>(
        _ action: String, _ path: some Collection<UInt8>, of role: FileRole = .own,
        _ body: () throws(SystemError) -> Result
    ) throws(Failure) -> Result {
        do throws(SystemError) { return try body() } catch {
            throw error.failure(action, path, of: role)
        }
    }
}

/// Makes a system call again for as long as a signal interrupts it.
///
/// - Returns: What the call returns; -1 leaves its `errno`.
package func unlessInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
