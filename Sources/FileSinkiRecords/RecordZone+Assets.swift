import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiSystem
public import Foundation
import Synchronization

extension RecordZone {
    /// The bytes of an asset, in memory.
    ///
    /// - Parameters:
    ///   - field: The field that has it; `pictures.2` is the second of a list.
    ///   - record: A record of this zone.
    /// - Throws: ``RecordError``: `notFound` if the record has no asset there, `away` if the store cannot be reached, any
    ///   other for bytes that are damaged or gone.
    public func contents(of field: String, in record: Record) async throws -> Data {
        let collected = Mutex(Data())
        try await read(field, of: record) { piece in
            collected.withLock { $0.append(contentsOf: piece) }
        }
        return collected.withLock { $0 }
    }

    /// Writes the bytes of an asset to a file, which is there when all of them are.
    ///
    /// - Throws: As ``contents(of:in:)``, and for a file that cannot be written.
    public func copyContents(of field: String, in record: Record, to url: URL) async throws {
        try await withRecordErrors {
            let path = url.path
            let file = try SystemError.reported("write the file", path.utf8, of: .argument) {
                () throws(SystemError) in
                try DurableFile(path.utf8, mode: 0o666)
            }
            try await read(field, of: record) { piece in
                try SystemError.reported("write the file", path.utf8, of: .argument) {
                    () throws(SystemError) in
                    try file.handle.write(piece)
                }
            }
            try SystemError.reported("write the file", path.utf8, of: .argument) {
                () throws(SystemError) in
                try file.commit(.full)
            }
        }
    }

    private func read(
        _ field: String, of record: Record,
        _ body: @Sendable @escaping (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        try await withRecordErrors {
            let parts = field.split(separator: ".", maxSplits: 1)
            let value = parts.first.flatMap { record.fields[String($0)] }
            let number = parts.count == 2 ? Int(parts[1]) : nil
            let asset: RecordAsset? =
                switch (value, number) {
                case (.asset(let asset), nil) where parts.count == 1: asset
                case (.assets(let assets), let number?) where assets.indices.contains(number - 1):
                    assets[number - 1]
                default: nil
                }
            guard let stored = try asset?.stored(in: field) else {
                throw Failure(
                    .notFound, path: record.name, "The record has no saved asset '\(field)'.",
                    remedy: "Name a field of type asset, or FIELD.1 for the first of a list.")
            }
            try await zone.readAsset(stored, of: RecordName(record.name).key, body)
        }
    }
}
