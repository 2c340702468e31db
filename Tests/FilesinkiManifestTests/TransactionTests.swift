import FilesinkiManifest
import FilesinkiModel
import Testing

@Suite struct TransactionTests {
    let temporary: TemporaryManifest
    let manifest: ManifestDatabase

    init() throws {
        temporary = try TemporaryManifest()
        manifest = try temporary.open()
    }

    struct Stop: Error {}

    @Test func `writes nothing of a transaction whose body throws`() throws {
        try Samples.fill(manifest)
        #expect(throws: Stop.self) {
            try manifest.write { writer in
                try writer.removeBase(Samples.paths[0])
                try writer.putBase(
                    BaseRow(path: RelativePath("new"), entry: Samples.entries[0], version: 1))
                try writer.setToken(ChangeToken(sequence: 99, hash: .none))
                throw Stop()
            }
        }
        #expect(try Contents(of: manifest) == .samples)
        #expect(try manifest.token == Samples.token)
        try manifest.write { try $0.setToken(nil) }
        #expect(try manifest.token == nil)
    }

    @Test func `shows a reader the data and the token of one transaction together`() throws {
        try Samples.fill(manifest)
        let reader = try ManifestDatabase.openReadOnly(at: temporary.path)
        let path = Samples.paths[0]
        try manifest.write { writer in
            try writer.removeBase(path)
            #expect(try reader.base(path) != nil)
            try writer.setToken(nil)
            #expect(try reader.token == Samples.token)
            #expect(try Contents(of: reader) == .samples)
            // The writer's own eyes see its work at once.
            #expect(try manifest.base(path) == nil)
            #expect(try manifest.loadBase().count == Samples.base.count - 1)
        }
        #expect(try reader.base(path) == nil)
        #expect(try reader.token == nil)
        #expect(try reader.loadBase().count == Samples.base.count - 1)
    }

    @Test func `refuses a transaction inside another`() throws {
        let failure = #expect(throws: Failure.self) {
            try manifest.write { _ in try manifest.write { _ in } }
        }
        #expect(failure?.code == .busy)
        try Samples.fill(manifest)
    }

    @Test func `refuses a writer after its transaction`() throws {
        let kept = try manifest.write { $0 }
        let failure = #expect(throws: Failure.self) { try kept.putBase(Samples.base[0]) }
        #expect(failure?.code == .io)
        #expect(try manifest.loadBase().isEmpty)
    }

    @Test func `refuses to write through a reader`() throws {
        let reader = try ManifestDatabase.openReadOnly(at: temporary.path)
        let failure = #expect(throws: Failure.self) {
            try reader.write { try $0.putBase(Samples.base[0]) }
        }
        #expect(failure?.code == .io)
    }

    /// A kill leaves the file and its WAL as they are at that moment, and so does a copy of both.
    @Test(arguments: [false, true])
    func `after a kill opens with the committed rows`(_ beforeCommit: Bool) throws {
        try Samples.fill(manifest)
        let killed = try TemporaryManifest()
        func copy() throws {
            try killed.write(temporary.read())
            try killed.write(temporary.read("manifest-wal"), to: "manifest-wal")
        }
        try manifest.write { writer in
            for number in 0..<20_000 {
                let path = try RelativePath("many/\(number)")
                try writer.putBase(BaseRow(path: path, entry: Samples.entries[0], version: 1))
            }
            try writer.setToken(nil)
            if beforeCommit { try copy() }
        }
        if !beforeCommit { try copy() }
        let again = try killed.open()
        let count = Samples.base.count + (beforeCommit ? 0 : 20_000)
        #expect(try again.loadBase().count == count)
        #expect(try again.token == (beforeCommit ? Samples.token : nil))
    }
}
