import FilesinkiCompression
import FilesinkiModel

/// A decoder that becomes that of the format which the first bytes show.
struct DetectingDecoder: StreamCoder {
    /// What a message calls the stream.
    let name: String
    private var prefix: [UInt8] = []
    private var decoder: (any StreamCoder)?

    init(name: String) {
        self.name = name
    }

    mutating func process(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        if decoder != nil { return try forward(input, finish: finish, output) }
        prefix.append(contentsOf: input)
        guard finish || prefix.count >= StreamFormat.prefixLength else { return }
        switch StreamFormat.detect(prefix) {
        case .xz: decoder = try XZDecoder()
        case .zstd: decoder = try ZstdDecoder()
        case nil:
            throw Failure(
                .corrupt, path: name, "This is neither an .xz nor a .zst stream.",
                remedy: "Check that it is the right file and that it is whole.")
        }
        let held = prefix
        prefix = []
        try held.withUnsafeBytes { try forward($0, finish: finish, output) }
    }

    private mutating func forward(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try decoder?.process(input, finish: finish, output)
    }
}
