import CKernel
import Glibc

/// The arguments of this process, as the bytes that they are.
///
/// Swift's `CommandLine` reads `/proc/self/cmdline`, and has no arguments where `/proc` is not mounted:
/// the program would take a command for none.
package enum ProcessArguments {
    /// The name of the program, then its arguments.
    package static var all: [[UInt8]] {
        guard let values = fsk_arguments() else { return [] }
        return (0..<Int(fsk_argument_count())).compactMap { index in
            values[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }

    /// Puts another program in the place of this process, with the same arguments.
    ///
    /// - Returns: Only when that fails; `errno` says why.
    package static func replaceProgram(by path: String) {
        guard let values = fsk_arguments() else { return }
        execv(path, values)
    }
}
