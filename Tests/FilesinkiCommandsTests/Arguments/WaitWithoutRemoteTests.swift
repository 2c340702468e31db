import FilesinkiCommands
import Synchronization
import Testing

@Suite("Waiting without a remote")
struct WaitWithoutRemoteTests {
    private static func world() async throws -> World {
        let world = try World()
        try world.makeFolder("a")
        try #require(try await world.run("init", "a").code == .done)
        // No command may wait: its time would pass, and the test would end.
        world.onSleep = { _ in Issue.record("The command waited.") }
        return world
    }

    @Test(
        "what changes something says that it is kept here, not published, and how to set a remote")
    func changes() async throws {
        try await Self.world().follow(
            #"""
            $ save x --root a < 1
            $ save x --root a --wait < 2
            ! filesinki: x: Saved here, not published. The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ save x --root a --wait --timeout 60s -q < 3
            ! filesinki: x: Saved here, not published. The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ show a/x
            3¬
            $ kv set k v --root a
            $ kv set k v --root a --wait
            ! Saved here, not yet published. The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ kv unset k --root a --wait --timeout 60s
            ! …not yet published. The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ rec save Note n --set t=x --root a --wait
            ! Saved here, not yet published. The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ rec delete n --root a --wait
            ! Deleted here, not yet published. The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ sync a --wait --timeout 60s
            ! filesinki: No remote is set. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            """#)
    }

    @Test("with --json the object says why the change is queued")
    func json() async throws {
        try await Self.world().follow(
            #"""
            $ kv set k v --root a --wait --json
            {"type":…"queued":true,…"away":{"type":"failure","code":"not-found","message":"The replica has no remote.","remedy":"Set one with filesinki remote set URL."}}
            = 1
            $ save x --root a --wait --json < 1
            {"type":"saved","exit":1,"path":"x","version":0,"queued":true,…
            = 1
            """#)
    }

    @Test("a newer version cannot come, so load does not wait for one")
    func newer() async throws {
        try await Self.world().follow(
            #"""
            $ save x --root a < 1
            $ load x --wait-newer 0 --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ load x --wait-newer 0 --timeout 60s --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            """#)
    }
}
