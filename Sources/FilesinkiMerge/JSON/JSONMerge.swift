import FilesinkiModel
import FilesinkiText

/// A three-way merge of parsed documents that keeps their spelling and layout.
///
/// What a side did not change is copied byte for byte, white space included. Objects are merged by
/// key; arrays of objects by identity, where one is found; other arrays by value. Numbers are equal
/// where their exact values are, texts where their code units are: another spelling of the same
/// value is taken where the other side changed nothing, and never conflicts.
package struct JSONMerge: ContentMerge {
    /// Whether lists that happen to be sorted are not kept sorted, as where lines of a program are elements.
    private let keepsOrder: Bool

    package init() { keepsOrder = false }

    init(keepsOrder: Bool) { self.keepsOrder = keepsOrder }

    package func merge(_ input: MergeInput) -> MergeOutcome {
        if input.trace != nil, input.obvious != nil { input.noteWhole() }
        do throws(Declined) {
            let ours = try Self.read(input.ours, "The version of this replica")
            if input.ours == input.theirs { return .merged(input.ours) }
            let theirs = try Self.read(input.theirs, "The committed version")
            guard let bytes = input.base else { return merge(nil, ours, theirs, input) }
            if bytes == input.ours { return .merged(input.theirs) }
            if bytes == input.theirs, !input.isComparison { return .merged(input.ours) }
            return merge(try Self.read(bytes, "The common version"), ours, theirs, input)
        } catch {
            return .declined([error.conflict])
        }
    }

    private struct Declined: Error {
        var conflict: MergeConflict
    }

    private static func read(
        _ bytes: [UInt8], _ name: String
    ) throws(Declined) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument(bytes)
        } catch {
            throw Declined(conflict: error.conflict(name))
        }
    }

    private func merge(
        _ base: JSONDocument?, _ ours: JSONDocument, _ theirs: JSONDocument, _ input: MergeInput
    ) -> MergeOutcome {
        var merger = JSONMerger(base, ours, theirs, input, keepsOrder: keepsOrder)
        return merger.merge()
    }

    /// Whether the bytes are a JSON document that can be merged.
    package static func isDocument(_ bytes: [UInt8]) -> Bool { (try? JSONDocument(bytes)) != nil }

    /// What a text has that JSON has not, and where, without a full stop; nil for a document.
    static func refusal(of bytes: [UInt8]) -> String? {
        do throws(JSONError) {
            _ = try JSONDocument(bytes)
            return nil
        } catch {
            return "line \(error.line) \(error.reason)"
        }
    }
}

extension JSONError {
    /// - Parameter side: The version, such as `The committed version`.
    func conflict(_ side: String) -> MergeConflict {
        MergeConflict("", "\(side) is not JSON that can be merged: line \(line) \(reason).")
    }
}
