package import FilesinkiRecords

/// A change of one record that a program asks for.
package struct RecordOperation: Sendable {
    package enum Kind: Sendable {
        case save
        case delete
    }

    /// Whether the record must be there before.
    package enum Existence: Sendable {
        case any
        /// A save of a record that is there fails.
        case mustNotExist
        /// A save of a record that is not there fails.
        case mustExist
    }

    package var kind: Kind
    package var name: RecordName
    /// Nil for the type that the record has.
    package var type: RecordType?
    /// The fields that are set; nil removes one.
    package var fields: [FieldName: FieldValue?] = [:]
    /// Whether fields that are not given are removed.
    package var replacesAll = false
    package var existence = Existence.any
    package var policy = SavePolicy.merge
    /// The change tag that the record must have on this device; nil for any.
    package var tag: String?

    /// A save that sets some fields.
    package static func save(
        _ name: RecordName, _ type: RecordType?, _ fields: [FieldName: FieldValue?]
    ) -> RecordOperation {
        RecordOperation(kind: .save, name: name, type: type, fields: fields)
    }

    /// A deletion. Deleting a record that is not there succeeds.
    package static func delete(_ name: RecordName) -> RecordOperation {
        RecordOperation(kind: .delete, name: name)
    }

    /// Lets the operation happen only if the record has a change tag, and nobody else's change of it comes in between:
    /// this device may not know yet what others published, so that the exchange decides, too.
    package mutating func require(tag: String) {
        self.tag = tag
        policy = .unchanged
    }
}

/// What came of an operation.
package struct RecordResult: Sendable {
    package var name: RecordName
    /// Whether the record was not there before.
    package var isCreated = false
    /// Whether the record was there and is deleted.
    package var isDeleted = false
    /// The record's tag afterwards; nil for a deleted one.
    package var tag: ChangeTag?
    /// Records that were deleted with this one.
    package var cascade: [RecordName] = []
    /// A `Failure` or a ``RecordConflict``; nil when it succeeded.
    package var error: (any Error)?
}
