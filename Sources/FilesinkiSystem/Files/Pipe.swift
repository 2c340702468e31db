import Glibc

/// A pipe, of which children inherit no end.
package struct Pipe: ~Copyable, Sendable {
    package let reading: FileHandle
    package let writing: FileHandle

    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0, let reading = FileHandle(ends[0]),
            let writing = FileHandle(ends[1])
        else { throw .last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.reading = reading
        self.writing = writing
    }

    /// Lets neither end wait.
    package func setNonBlocking() {
        for end in [reading.raw, writing.raw] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }
}
