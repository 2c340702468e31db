import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiSSH

/// What a host's reply means for a file of a store.
@Suite struct SFTPStatusTests {
    private func status(_ code: UInt32, _ message: String = "") -> SFTPReply {
        .status(SFTPStatus(code: code, message: message))
    }

    private static let rows: [(UInt32, String, Failure.Code, String)] = [
        (2, "No such file", .io, "Cannot read the object: no such file or directory."),
        (3, "Permission denied", .notAllowed, "Cannot read the object: permission denied."),
        (4, "Failure", .io, #"Cannot read the object: the host replied "failure"."#),
        (4, "", .io, #"Cannot read the object: the host replied "error 4"."#),
        (8, "No\nWAY", .io, #"Cannot read the object: the host replied "no\x0away"."#),
        (6, "", .away, "Cannot read the object: the host lost its connection."),
        (7, "x", .away, "Cannot read the object: the host lost its connection."),
    ]

    @Test("a status has its failure, with the key and the host's words", arguments: rows)
    func failures(_ code: UInt32, _ words: String, _ expected: Failure.Code, _ message: String) {
        let failure = SFTPStatus(code: code, message: words).failure("read the object", "a/b")
        #expect(failure.code == expected)
        #expect(failure.path == Array("a/b".utf8))
        #expect(failure.message == message)
        #expect(!failure.remedy.isEmpty)
        #expect((failure.account == .restricted) == (code == SFTPStatus.permissionDenied))
    }

    @Test func `what does not exist is nil, and anything else that is no success is an error`()
        throws
    {
        let (attributes, handle) = (SFTPAttributes(size: 9), [1, 2] as [UInt8])
        #expect(
            try SFTPReply.attributes(attributes).attributesIfPresent(action: "x", "a") == attributes
        )
        #expect(try SFTPReply.handle(handle).handleIfPresent(action: "x", "a") == handle)
        #expect(try status(2).attributesIfPresent(action: "x", "a") == nil)
        #expect(try status(2).handleIfPresent(action: "x", "a") == nil)
        for code in [0, 1, 3, 4] as [UInt32] {
            #expect(throws: Failure.self) { try status(code).attributesIfPresent(action: "x", "a") }
            #expect(throws: Failure.self) { try status(code).handleIfPresent(action: "x", "a") }
        }
    }

    @Test func `a read has what was asked for at most, and its end is no error`() throws {
        #expect(try SFTPReply.data([1, 2]).data(limit: 2, "a") == [1, 2])
        #expect(try status(SFTPStatus.endOfFile).data(limit: 2, "a") == nil)
        for reply in [SFTPReply.data([1, 2, 3]), .data([])] {
            let failure = #expect(throws: Failure.self) { try reply.data(limit: 2, "a") }
            #expect(failure?.code == .corrupt)
        }
        let failure = #expect(throws: Failure.self) { try status(4).data(limit: 2, "a") }
        #expect(failure?.code == .io)
    }

    @Test func `a reply of another kind belongs to another request`() {
        for reply in [
            SFTPReply.handle([1]), .data([1]), .names([]), .extended([]),
            .version(3, extensions: [:]),
        ] {
            let failure = #expect(throws: Failure.self) { try reply.requireStatus() }
            #expect(failure?.code == .corrupt)
            #expect(failure?.message == "The host's reply does not belong to its request.")
            #expect(throws: Failure.self) { try reply.attributesIfPresent(action: "x", "a") }
        }
    }

    @Test func `the type of a file is in its mode, and of none nothing is known`() {
        let modes: [UInt32?] = [0o100644, 0o040755, 0o120777, 0o060600, 0o140000, nil, 0]
        let all = modes.map { SFTPAttributes(mode: $0) }
        #expect(all.map(\.isRegularFile) == [true, false, false, false, false, false, false])
        #expect(all.map(\.isFolder) == [false, true, false, false, false, false, false])
    }

    @Test func `requests of OpenSSH's own have its names`() {
        func name(_ request: SFTPRequest) -> String? {
            let packet = request.encoded(id: 7)
            var reader = SFTPReader(packet.dropFirst(9))
            return reader.string().map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(name(.limits) == "limits@openssh.com")
        #expect(name(.fileSystem([0x61])) == "statvfs@openssh.com")
        #expect(SFTPRequest.limits.encoded(id: 7).count == 9 + 4 + 18)
        #expect(SFTPRequest.fileSystem([0x61]).encoded(id: 7).suffix(5) == [0, 0, 0, 1, 0x61])
    }
}

/// What is kept of a host, and what is run to reach it.
@Suite struct SSHNoteTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    private func address(_ text: String) throws -> SSHAddress { try SSHAddress(url: text) }

    @Test func `a note is of one address, until it is forgotten`() throws {
        let (here, there) = (try address("ssh://h/store"), try address("ssh://h/other"))
        let note = SSHNote(path: folder.path("note"))
        #expect(!note.hasNoFilesinki(at: here))
        note.noteNoFilesinki(at: here)
        #expect(note.hasNoFilesinki(at: here) && !note.hasNoFilesinki(at: there))
        note.noteNoFilesinki(at: there)
        #expect(!note.hasNoFilesinki(at: here) && note.hasNoFilesinki(at: there))
        note.forget()
        #expect(!note.hasNoFilesinki(at: there))
        #expect(try StateFile.names(in: folder.path).isEmpty)
    }

    @Test func `a note that others may have written says nothing`() throws {
        let here = try address("ssh://h/store")
        let note = SSHNote(path: folder.path("note"))
        note.noteNoFilesinki(at: here)
        #expect(chmod(note.path, 0o622) == 0)
        #expect(!note.hasNoFilesinki(at: here))
        #expect(chmod(note.path, 0o600) == 0)
        #expect(note.hasNoFilesinki(at: here))
    }

    @Test func `nothing is noted of a replica that is not there`() throws {
        SSHNote(path: folder.path("none/note")).noteNoFilesinki(at: try address("ssh://h/store"))
        #expect(try StateFile.names(in: folder.path).isEmpty)
    }

    @Test(
        "only of ssh itself its settings are asked",
        arguments: [
            (nil, "ssh"), ("ssh", "ssh"), ("ssh -4", "ssh -4"),
            ("/usr/bin/ssh -F x", "/usr/bin/ssh -F x"),
            ("myssh", nil), ("/opt/myssh -4", nil), ("env ssh", nil), ("ssh2", nil),
        ] as [(String?, String?)])
    func program(_ command: String?, _ program: String?) {
        #expect(SSHCommand(environment: { _ in command }).programOfOpenSSH == program)
    }

    @Test(
        "the host's shell runs filesinki with the folder as one word, and no name is an option",
        arguments: [
            ("ssh://h/srv/my store", false, " sh '/srv/my store'"),
            ("ssh://h/~/-x", false, " sh ./-x"), ("ssh://h/~/a", true, " sh --create ./a"),
            ("ssh://h/it's", false, #" sh '/it'\''s'"#),
        ])
    func line(_ url: String, _ isCreating: Bool, _ end: String) throws {
        let words = SSHCommand(environment: { _ in nil })
            .arguments(for: try address(url), .filesinki(creating: isCreating))
        #expect(words.suffix(4).dropLast() == ["-T", "--", "h"])
        #expect(words.last?.hasPrefix("exec sh -c '") == true)
        #expect(
            words.last?.hasSuffix(#"exec filesinki serve --stdio "$@"'"# + end) == true, "\(words)")
    }

    @Test func `a host that does not answer is away, and not tried again soon`() throws {
        let failure = SSHPatience(limit: .seconds(7)).failure(try address("ssh://h/store"))
        #expect(failure.code == .away && !failure.mayPassSoon)
        #expect(failure.path == Array("ssh://h/store".utf8))
        #expect(failure.message == "The host did not answer within 7 seconds.")
        #expect(failure.remedy.contains("ConnectTimeout"))
    }

    @Test(
        "a number that is no port is no hint at one",
        arguments: [
            ("h:65535", true), ("h:65536", false), ("h:0", false), ("h:1:x", true),
            ("h:0:x", false), ("h:65536:x", false), ("ssh://h:8390", false), ("h", false),
        ])
    func hints(_ address: String, _ isHint: Bool) {
        #expect(!SSHHint.ofRefusal(address).isEmpty == isHint)
    }
}
