import FilesinkiModel

/// Three-way on the parsed document, written back as it was written.
///
/// What a side did not change is copied byte for byte, white space included. Objects are merged by
/// key; arrays of objects by identity, where one is found; other arrays by value. Numbers are equal
/// where their exact values are, texts where their code units are: another spelling of the same
/// value is taken over where the other side changed nothing, and is no conflict ever.
package struct JSONMerge: ContentMerge {
    package init() {}

    package func merge(_ input: MergeInput) -> MergeOutcome {
        do throws(JSONRefusal) {
            let here = try Self.read(input.here, "The version of this replica")
            if input.here == input.there { return .merged(input.here) }
            let there = try Self.read(input.there, "The committed version")
            guard let bytes = input.base else { return Self.merge(nil, here, there, input) }
            if bytes == input.here { return .merged(input.there) }
            if bytes == input.there { return .merged(input.here) }
            return Self.merge(try Self.read(bytes, "The common version"), here, there, input)
        } catch {
            return .declined([error.conflict])
        }
    }

    private struct JSONRefusal: Error {
        var conflict: MergeConflict
    }

    private static func read(
        _ bytes: [UInt8], _ name: String
    ) throws(JSONRefusal) -> JSONDocument {
        do throws(JSONProblem) {
            return try JSONDocument(bytes)
        } catch {
            throw JSONRefusal(conflict: error.conflict(name))
        }
    }

    private static func merge(
        _ base: JSONDocument?, _ here: JSONDocument, _ there: JSONDocument, _ input: MergeInput
    ) -> MergeOutcome {
        var merger = JSONMerger(base, here, there, input)
        return merger.merge()
    }
}
