import FilesinkiCommands
import Glibc
import Testing

private let server = "/usr/lib/openssh/sftp-server"

/// What is said of a folder at a host, which SFTP of this machine stands for.
@Suite(.enabled(if: access(server, X_OK) == 0, "openssh-sftp-server is missing"))
struct HostFolderTests {
    /// A world in which `host` is reached, and `home` is the home folder there.
    private static func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.makeFolder("home")
        try world.write(
            "case \"$*\" in *' -s -- '*) cd \(world.folder)/home && exec \(server) ;; *) exit 127 ;; esac\n",
            to: "ssh")
        world.set("FILESINKI_SSH_COMMAND", to: "sh \(world.folder)/ssh")
        return world
    }

    @Test("a new store among other files, or in the home folder there, is said to be so")
    func amongFiles() async throws {
        let world = try await Self.world()
        try world.makeFolder("home/empty")
        try world.write("1", to: "home/full/file")
        try await world.follow(
            #"""
            $ init e --remote host:empty
            ! Created the folder WORLD/e.
            ! WORLD/e is a replica now.
            ! Created a store at host:empty.
            $ init f --remote host:full
            ! Created the folder WORLD/f.
            ! host:full: The new store lies among other files. If that is not intended, give an empty folder.
            ! WORLD/f is a replica now.
            ! Created a store at host:full.
            $ init h --remote host:~
            ! Created the folder WORLD/h.
            ! host:~: The new store lies in the home folder there, among other files. If that is not intended, give a folder in it: HOST:NAME.
            ! WORLD/h is a replica now.
            ! Created a store at host:~.
            """#)
    }

    @Test("the home folder is named where it is empty, too")
    func home() async throws {
        try await Self.world().follow(
            #"""
            $ init h --remote host:.
            ! Created the folder WORLD/h.
            ! host:.: The new store lies in the home folder there. If that is not intended, give a folder in it: HOST:NAME.
            ! WORLD/h is a replica now.
            ! Created a store at host:..
            """#)
    }

    @Test("a replica there is named as such, and no command is proposed that is refused")
    func replica() async throws {
        let world = try await Self.world()
        try world.write("x", to: "home/notes/.filesinki/root")
        try world.makeFolder("home/notes/in")
        try await world.follow(
            #"""
            $ remote check host:notes
            ! filesinki: host:notes: This is a replica, not a store. For a new store use a folder that is outside of every replica and store.
            = 2
            $ clone host:notes c
            ! filesinki: host:notes: This is a replica, not a store. Give the address of its store, which filesinki remote show prints there.
            = 1
            $ clone host:notes/in c
            ! filesinki: host:notes/in: No store was found there. Check the address. The folder is inside a replica, which would sync the store.
            = 1
            """#)
        #expect(world.names(in: "home/notes") == [".filesinki", "in"])
        #expect(!world.names().contains("c"))
    }
}
