import FilesinkiModel
import FilesinkiSystem
import Glibc

/// Where a command's bytes go: a file descriptor, or memory in a test.
package protocol ByteSink: AnyObject, Sendable {
    /// Takes all the bytes.
    ///
    /// - Throws: `Failure` with code `io` or `full` when they cannot be written.
    func write(_ bytes: UnsafeRawBufferPointer) throws
}

/// Writes to a file descriptor that somebody else opened and closes.
package final class DescriptorSink: ByteSink {
    private let descriptor: Int32
    private let name: String

    /// - Parameter name: What a message calls it, such as `standard output`.
    package init(_ descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        do { try FileHandle.write(bytes, to: descriptor) } catch {
            throw error.failure("write", name, of: .argument)
        }
    }
}

extension NamedFile: ByteSink {}
