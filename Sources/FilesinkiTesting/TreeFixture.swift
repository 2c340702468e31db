package import FilesinkiModel
import Glibc

/// A tree of files as a value: written to a disk, read back from it, and compared.
///
/// ```
/// let tree: TreeFixture = [
///     "a": .file("text"), "d": .directory(["b": .file("y", mode: 0o755)]), "l": .symlink("a"),
/// ]
/// ```
package struct TreeFixture: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One name's content.
    package indirect enum Node: Hashable, Sendable {
        /// A time of nil is not set when written, and not compared when ``TreeFixture/read(_:times:)``
        /// was not asked for times.
        case bytes([UInt8], mode: UInt16, modified: Timestamp?)
        case folder(TreeFixture, mode: UInt16)
        case link([UInt8])
        /// A fifo, socket or device, found when reading.
        case special

        package static func file(
            _ text: String, mode: UInt16 = 0o644, modified: Timestamp? = nil
        ) -> Node { .bytes(Array(text.utf8), mode: mode, modified: modified) }

        package static func directory(_ tree: TreeFixture = [:], mode: UInt16 = 0o755) -> Node {
            .folder(tree, mode: mode)
        }

        package static func symlink(_ target: String) -> Node { .link(Array(target.utf8)) }
    }

    /// A name: bytes, so that NFC and NFD, and what is not UTF-8, stay apart.
    package struct Name: Hashable, Sendable, Comparable, ExpressibleByStringLiteral {
        package var bytes: [UInt8]

        package init(_ bytes: [UInt8]) { self.bytes = bytes }

        package init(stringLiteral text: String) { bytes = Array(text.utf8) }

        package static func < (left: Name, right: Name) -> Bool {
            left.bytes.lexicographicallyPrecedes(right.bytes)
        }
    }

    package var nodes: [Name: Node]

    package init(_ nodes: [Name: Node] = [:]) { self.nodes = nodes }

    package init(dictionaryLiteral elements: (Name, Node)...) {
        nodes = Dictionary(elements) { $1 }
    }

    package subscript(_ name: Name) -> Node? {
        get { nodes[name] }
        set { nodes[name] = newValue }
    }
}

extension TreeFixture: CustomStringConvertible {
    /// One line for each path, in order, as a failing test shows it.
    package var description: String { "\n" + lines(below: []).joined(separator: "\n") }

    private func lines(below parent: [UInt8]) -> [String] {
        nodes.sorted { $0.key < $1.key }.flatMap { name, node in
            let path = parent + name.bytes
            let shown = printable(path)
            return switch node {
            case .bytes(let bytes, let mode, let modified):
                [
                    "\(shown) \(String(mode, radix: 8)) \(printable(bytes.prefix(60)))"
                        + (modified.map { " @\($0.nanoseconds)" } ?? "")
                ]
            case .folder(let tree, let mode):
                ["\(shown)/ \(String(mode, radix: 8))"]
                    + tree.lines(below: path + [UInt8(ascii: "/")])
            case .link(let target): ["\(shown) -> \(printable(target))"]
            case .special: ["\(shown) (special)"]
            }
        }
    }
}
