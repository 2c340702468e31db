import FilesinkiModel
import FilesinkiReconcile

/// A tree as a test writes it: `["f": file("X"), "d": folder]`.
typealias Tree = [String: Entry]

/// A file whose content is named by one letter.
func file(_ content: Character, mode: UInt16 = 0o644, time: Int64 = 1) -> Entry {
    .file(
        content.id, size: Int64(content.asciiValue ?? 0), mode: mode,
        modified: .init(nanoseconds: time))
}

/// A file without content, which no rename is recognised by.
let empty = Entry.file(
    Character("E").id, size: 0, mode: 0o644, modified: Timestamp(nanoseconds: 1))

/// A directory of the usual mode.
let folder = directory(0o755)

func directory(_ mode: UInt16) -> Entry {
    .directory(mode: mode, modified: Timestamp(nanoseconds: 7))
}

func symlink(_ target: String, time: Int64 = 1) -> Entry {
    .symlink(to: Array(target.utf8), modified: Timestamp(nanoseconds: time))
}

func path(_ text: String) -> RelativePath { RelativePath(unchecked: Array(text.utf8)) }

/// The conflict name of `name` for a content of `device`.
func copy(of name: String, _ content: Character, by device: Device) -> String {
    String(
        decoding: conflictName(for: path(name), device: device, content: content.id).bytes,
        as: UTF8.self)
}

/// The conflict name of `name` for a symlink of ``Device/ours``.
func symlinkCopy(of name: String, to target: String) -> String {
    let input = ReconcileInput(
        base: [:] as [RelativePath: VersionedEntry],
        ours: [path(name): LocalChange(symlink(target))],
        theirs: [path(name): RemoteChange(VersionedEntry(file("Y"), version: 1))],
        rules: UniformRules(Strategy([.end(.keepBoth)])), device: .ours)
    return reconcile(input).steps.first(where: \.isConflictCopy)?.path.description ?? ""
}

extension Character {
    /// The content ID that stands for the content of this name.
    var id: ContentID {
        ContentID([UInt8](repeating: asciiValue ?? 0, count: ContentID.byteCount)) ?? .none
    }
}

extension Device {
    static let ours = Device(id: [1], name: "ours")
    static let theirs = Device(id: [2], name: "theirs")
}

/// Whether both trees hold the same, as sync counts it.
func agree(_ left: [RelativePath: Entry], _ right: [RelativePath: Entry]) -> Bool {
    left.count == right.count
        && left.allSatisfy { path, entry in right[path].map(entry.agrees) ?? false }
}

/// A tree on one line, in the order of its paths.
func text(_ tree: [RelativePath: Entry]) -> String {
    tree.sorted { $0.key < $1.key }.map { path, entry in
        switch entry.kind {
        case .directory: "\(path)/ \(String(entry.mode, radix: 8))"
        case .symlink: "\(path)->\(String(decoding: entry.target, as: UTF8.self))"
        case .tombstone: "\(path) gone"
        case .file:
            "\(path)=\(entry.content.description.prefix(2)) \(String(entry.mode, radix: 8)) "
                + "\(entry.modified.nanoseconds)"
        }
    }.joined(separator: ", ")
}
