import FilesinkiModel
import Testing

/// The databases of a store, and the names of their zones.
@Suite struct DatabaseScopeTests {
    private static let scopes: [(String, DatabaseScope, String)] = [
        ("private", .private, ""), ("public", .public, "public-"),
        ("shared-team_1", .shared("team_1"), "shared-team_1-"),
        ("shared-a", .shared("a"), "shared-a-"),
        (
            "shared-" + String(repeating: "a", count: 40),
            .shared(String(repeating: "a", count: 40)),
            "shared-" + String(repeating: "a", count: 40) + "-"
        ),
    ]

    @Test("a database is read from its name, and is the prefix of its zones", arguments: scopes)
    func names(_ text: String, _ scope: DatabaseScope, _ prefix: String) throws {
        #expect(try DatabaseScope(parsing: text) == scope)
        #expect(scope.description == text)
        #expect(scope.zonePrefix == prefix)
        let found = DatabaseScope.split(zone: prefix + "rec-default")
        #expect(found.scope == scope && found.rest == "rec-default")
    }

    @Test(
        "anything else is no database",
        arguments: [
            "", "Private", "public-", "shared", "shared-", "shared-A", "shared-a-b", "shared-a.b",
            "shared-é", "shared-a b", "xshared-a", "private ",
            "shared-" + String(repeating: "a", count: 41),
        ])
    func refused(_ text: String) {
        let failure = #expect(throws: Failure.self) { try DatabaseScope(parsing: text) }
        #expect(failure?.code == .usage)
        #expect(failure?.path == Array(text.utf8))
        #expect(failure?.message == "Unknown database.")
        #expect(failure?.remedy.contains("private, public or shared-NAME") == true)
    }

    @Test(
        "a zone without the whole prefix of a database is of the private one, with its whole name",
        arguments: [
            "rec-default", "files", "", "public", "shared-", "shared-team", "shared--x",
            "shared-A-x",
            "shared-" + String(repeating: "a", count: 41) + "-x",
        ])
    func privateZones(_ zone: String) {
        let found = DatabaseScope.split(zone: zone)
        #expect(found.scope == .private && found.rest == zone[...])
    }

    @Test(
        "the name of a zone is what stands behind the first hyphen of the database's",
        arguments: [
            ("public-", DatabaseScope.public, ""), ("public-a-b", .public, "a-b"),
            ("shared-a-", .shared("a"), ""), ("shared-a--b", .shared("a"), "-b"),
            ("shared-public-x", .shared("public"), "x"),
        ])
    func rests(_ zone: String, _ scope: DatabaseScope, _ rest: String) {
        let found = DatabaseScope.split(zone: zone)
        #expect(found.scope == scope && String(found.rest) == rest)
    }

    @Test(
        "the names of a shared database and of its zone have 48 characters together",
        arguments: [(40, 8, true), (40, 9, false), (1, 47, true), (1, 48, false)])
    func lengths(_ name: Int, _ zone: Int, _ fits: Bool) {
        let (name, zone) = (
            String(repeating: "n", count: name), String(repeating: "z", count: zone)
        )
        // Of the others a zone's own limit is enough.
        for scope in [DatabaseScope.private, .public] {
            #expect(throws: Never.self) { try scope.check(zone: zone + zone) }
        }
        guard !fits else {
            #expect(throws: Never.self) { try DatabaseScope.shared(name).check(zone: zone) }
            return
        }
        let failure = #expect(throws: Failure.self) {
            try DatabaseScope.shared(name).check(zone: zone)
        }
        #expect(failure?.code == .usage)
        #expect(failure?.path == Array("shared-\(name)/\(zone)".utf8))
        #expect(failure?.remedy == "Use a shorter name for one of them.")
    }
}

/// What a failure says about the account of this device.
@Suite struct AccountStatusTests {
    private func failure(_ code: Failure.Code, _ status: AccountStatus?) -> Failure {
        Failure(code, "It failed.", remedy: "").about(status)
    }

    @Test(
        "what the remote said comes first, and a remote that does not answer is unavailable",
        arguments: [
            (Failure.Code.notAllowed, nil, AccountStatus.undetermined, false),
            (.notAllowed, .noAccount, .noAccount, true),
            (.notAllowed, .restricted, .restricted, true), (.away, nil, .unavailable, false),
            (.busy, nil, .unavailable, false), (.io, nil, .undetermined, false),
            (.away, .noAccount, .noAccount, true), (.busy, .undetermined, .undetermined, false),
            (.io, .available, .available, false), (.io, .unavailable, .unavailable, false),
        ] as [(Failure.Code, AccountStatus?, AccountStatus, Bool)])
    func statuses(
        _ code: Failure.Code, _ said: AccountStatus?, _ status: AccountStatus, _ isRefusal: Bool
    ) {
        #expect(failure(code, said).accountStatus == status)
        #expect(failure(code, said).isRefusal == isRefusal)
    }

    @Test func `what is said about the account changes nothing else of a failure`() {
        var failure = Failure(
            .busy, path: "a", "It failed.", remedy: "Wait.", cause: ReadOnlyAccess())
        failure.retryAfter = .seconds(3)
        let told = failure.about(.restricted)
        #expect(told.description == failure.description && told.code == .busy)
        #expect(told.retryAfter == .seconds(3) && told.isOfReadOnlyAccess)
        #expect(told.about(nil).account == nil)
    }

    @Test func `a refused write is meant so only where the remote says that of the credentials`() {
        #expect(Failure(.notAllowed, "", remedy: "", cause: ReadOnlyAccess()).isOfReadOnlyAccess)
        #expect(!Failure(.notAllowed, "", remedy: "").isOfReadOnlyAccess)
    }

    @Test func `the words are those of the documents`() {
        #expect(
            AccountStatus.allCases.map(\.rawValue) == [
                "available", "no-account", "restricted", "undetermined", "unavailable",
            ])
    }
}

/// Small words that several layers say.
@Suite struct SharedWordTests {
    @Test func `a replica without a remote is told how it gets one`() {
        let failure = Failure.noRemote(of: "/home/me/notes")
        #expect(failure.code == .notFound)
        #expect(
            failure.description
                == "/home/me/notes: The replica has no remote. Set one with filesinki remote set URL."
        )
        #expect(Failure.noRemote().path.isEmpty)
    }

    @Test func `a failure may pass soon unless somebody says otherwise`() {
        #expect(Failure(.away, "", remedy: "").mayPassSoon)
    }

    @Test(
        "of some paths the outermost are those that are inside no other",
        arguments: [
            (["a", "a/b", "a/b/c", "ab"], ["a", "ab"]), (["a/b", "a/c"], ["a/b", "a/c"]),
            (["x/y/z", "x"], ["x"]), (["x/y/z", "y"], ["x/y/z", "y"]), ([], []),
        ] as [([String], [String])])
    func outermost(_ paths: [String], _ left: [String]) {
        let set = Set(paths.map { RelativePath(unchecked: Array($0.utf8)) })
        #expect(set.outermost.map(\.description).sorted() == left)
    }

    @Test func `a filter of everything ignores nothing, at any depth`() {
        let filter = EverythingFilter()
        let inner = filter.entering(Array("d".utf8)[...]) { _ in [] }
        for filter in [filter, inner] as [any ScanFilter] {
            #expect(!filter.ignores(Array(".git".utf8)[...], isDirectory: true))
            #expect(!filter.ignores([0xFF], isDirectory: false))
        }
    }
}
