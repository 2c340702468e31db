import FilesinkiModel
import Glibc

/// The name of this machine up to its first dot, to call a device by where nobody gave a name; `device`
/// where it has none that could be shown.
package func nameOfHost() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
    let bytes = buffer.prefix { $0 != 0 && $0 != CChar(bitPattern: UInt8(ascii: ".")) }
    let name = String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty || printable(name.utf8) != name ? "device" : name
}
