import Glibc

/// An open file of the kernel, closed when the value ends.
struct OpenFile: ~Copyable, Sendable {
    let number: Int32

    /// Takes over an open file; nil for the -1 of a call that failed.
    init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { _ = close(number) }
}
