/// JSON with comments, trailing commas, bare keys and the other additions of JSON5.
///
/// Sources: <https://spec.json5.org>, and "JSON with Comments" as Visual Studio Code reads its settings.
struct JSONCFormat: SyntaxFormat {
    let name = "JSON with comments"
    let repeats = RepeatedNames.override

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        var reader = BracketReader(bytes, .json)
        guard let root = reader.document() else { return nil }
        return SyntaxTree(bytes: bytes, root: root)
    }
}
