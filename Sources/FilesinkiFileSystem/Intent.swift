import CKernel
import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc

/// A record of what a step is about to move out of the tree into the staging folder. It is written
/// before the move, so that after a kill a user's save can be distinguished from the file that the
/// plan replaces.
///
/// It is stored as the target of a symlink `NAME.plan` beside the staged `NAME`: one metadata
/// operation, which a journaling file system orders before the exchange that follows. If the path
/// is too long or symlinks are not supported, it is a small file.
struct Intent: Hashable {
    /// The file that the step installs; nil for a removal.
    var ours: Identity?
    /// What the plan expects at the path.
    var expected: Expected
    /// The path of the file in the tree.
    var path: [UInt8]

    /// A ``FileStamp`` without the change time, which a rename sets.
    struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var modified: Int64
    }

    enum Expected: Hashable {
        case any
        case absent
        case identity(Identity)
        /// The hash of a file's bytes or of a symlink's target.
        case content(ContentID)
    }

    static let suffix = Array(".plan".utf8)

    /// The suffix of the staged name of a file that was moved out in two steps; the replacement's
    /// staged name precedes it.
    static let asideSuffix = Array(".old".utf8)
}

extension Intent.Identity {
    init(_ stamp: FileStamp) {
        device = stamp.device
        inode = stamp.inode
        size = stamp.size
        modified = stamp.modified.nanoseconds
    }

    fileprivate var text: String { "\(device):\(inode):\(size):\(modified)" }

    fileprivate init?(_ text: Substring) {
        let parts = text.split(separator: ":")
        guard parts.count == 4, let device = UInt64(parts[0]), let inode = UInt64(parts[1]),
            let size = Int64(parts[2]), let modified = Int64(parts[3])
        else { return nil }
        (self.device, self.inode, self.size, self.modified) = (device, inode, size, modified)
    }
}

extension Intent {
    init(ours: FileStamp?, _ expectation: Expectation, _ path: RelativePath) {
        self.ours = ours.map(Identity.init)
        self.path = path.bytes
        expected =
            switch expectation {
            case .any: .any
            case .absent: .absent
            case .stamp(let stamp): .identity(Identity(stamp))
            case .content(let content, _): .content(content)
            case .link(let target): .content(ContentHasher.hash(target))
            }
    }

    /// `ours expected path`. The first two contain no space.
    var bytes: [UInt8] {
        let word =
            switch expected {
            case .any: "any"
            case .absent: "absent"
            case .identity(let identity): identity.text
            case .content(let content): content.description
            }
        return Array("\(ours?.text ?? "-") \(word) ".utf8) + path
    }

    /// Decodes ``bytes``; nil for anything else.
    init?(_ bytes: [UInt8]) {
        let parts = bytes.split(
            separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty else { return nil }
        let first = String(decoding: parts[0], as: UTF8.self)
        let second = String(decoding: parts[1], as: UTF8.self)
        ours = Identity(first[...])
        guard ours != nil || first == "-" else { return nil }
        switch second {
        case "any": expected = .any
        case "absent": expected = .absent
        default:
            if let identity = Identity(second[...]) {
                expected = .identity(identity)
            } else if let content = ContentID(hexadecimal: second) {
                expected = .content(content)
            } else {
                return nil
            }
        }
        path = Array(parts[2])
    }

    /// Stores the intent beside the staged `name`.
    func write(beside name: [UInt8], in folder: borrowing FileHandle) throws(SystemError) {
        let text = bytes
        let plan = name + Self.suffix
        let linked = text.withCString { text in
            plan.withCString { symlinkat(text, folder.raw, $0) }
        }
        if linked == 0 { return }
        let file = try folder.open(plan, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try file.write(text)
        try file.sync()
    }

    /// Reads the intent in the file `plan`; nil when it is invalid.
    static func read(_ plan: [UInt8], in folder: borrowing FileHandle) throws(SystemError)
        -> Intent?
    {
        if let status = try folder.status(of: plan), status.kind == .symlink {
            return Intent(
                try plan.withCString { name throws(SystemError) in
                    try readLink(folder.raw, name)
                })
        }
        return Intent(try folder.open(plan, O_RDONLY | O_NONBLOCK).readAll(expecting: 8192))
    }

    static func remove(beside name: [UInt8], in folder: borrowing FileHandle) throws(SystemError) {
        try folder.unlink(name + suffix)
    }
}
