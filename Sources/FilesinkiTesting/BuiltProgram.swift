import Glibc

/// The built program, beside the tests' own.
package enum BuiltProgram {
    /// The path of `filesinki-net`; nil where it was not built.
    package static let network: String? = {
        let path = (getenv("FILESINKI_BINARY").map { String(cString: $0) } ?? beside) + "-net"
        return access(path, X_OK) == 0 ? path : nil
    }()

    private static let beside: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = max(0, readlink("/proc/self/exe", &buffer, buffer.count - 1))
        let own = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (own.lastIndex(of: "/").map { own[..<$0] } ?? ".") + "/filesinki"
    }()
}
