/// What to use here in place of a command or an option of git, rsync, restic and others.
struct Counterpart: Sendable {
    /// What the command is for, as it precedes a colon.
    let purpose: String
    /// The command as a user types it, with names in capitals for what to fill in.
    let command: String

    init(_ purpose: String, _ command: String) {
        self.purpose = purpose
        self.command = command
    }

    var text: String { "\(purpose): \(command)." }
}

/// The commands and options of other tools that people try first, and that do not exist here. A name that
/// means the same is an alias of its command, and not in these tables.
enum Counterparts {
    /// The counterpart of a command by its whole name, such as `remote add`; nil if there is none.
    static func command(_ name: String) -> Counterpart? { commands[name] }

    /// The hint for an argument of a command group that is not one of its commands; nil if there is none.
    static func word(in group: String) -> Counterpart? { words[group] }

    private static let words = [
        "devices": Counterpart("To see all devices, with their names", "filesinki devices"),
        "only": part,
    ]

    /// The counterpart of a command that needs an argument here, and none in other tools; nil if there is none.
    static func withoutArguments(_ command: String) -> Counterpart? { bare[command] }

    private static let bare = [
        "diff": Counterpart(
            "diff compares the versions of one path, and with --commit N shows what a commit changed; "
                + "to see all changes that are not synced yet",
            "filesinki sync --dry-run")
    ]

    /// The counterpart of arguments that a command does not have here, such as a version behind a path; nil if there
    /// is none.
    static func withArguments(_ command: String) -> Counterpart? { surplus[command] }

    private static let surplus = [
        "clone": partOfStore,
        "conflicts": compared,
        "diff": Counterpart(
            "The versions follow the path, without an @", "filesinki diff PATH 1 2"),
        "kv get": Counterpart("To set a value", "filesinki kv set KEY VALUE"),
        "log": Counterpart("To see the versions of one path", "filesinki log PATH"),
        "rec save": Counterpart(
            "Fields are given with an option", "filesinki rec save TYPE NAME --set FIELD=VALUE"),
        "prune": Counterpart(
            "A prune is of all paths; to keep the versions of the last commit only",
            "filesinki prune --keep-last 1"),
        "show": Counterpart("A version is part of the path", "filesinki show PATH@VERSION"),
    ]

    static let compared = Counterpart(
        "To compare the versions of one conflict", "filesinki diff --conflict PATH")
    static let copied = Counterpart(
        "A migration copies, and leaves the old store as it is; to see how large that is",
        "filesinki stats")
    static let held = Counterpart(
        "What leaves this folder is in the store, and a later choice brings it back; to see the present choice",
        "filesinki only list")
    static let lastOnes = Counterpart(
        "To keep the versions of the last commits", "filesinki prune --keep-last 10")
    static let partOfStore = Counterpart(
        "To hold only some folders of the store", "filesinki clone URL DIR --only PATH")
    static let exchange = Counterpart("To send and receive changes", "filesinki sync")
    private static let olderVersion = Counterpart(
        "filesinki log PATH lists the versions of a path; to go back to one",
        "filesinki restore PATH@VERSION")
    private static let verification = Counterpart(
        "To verify the store and this replica", "filesinki check")
    static let version = Counterpart("To print the version", "filesinki --version")

    private static let author = Counterpart(
        "To see which device changed a path, and when", "filesinki log PATH")
    private static let copying = Counterpart(
        "Copy the file with cp; to sync the copy", "filesinki sync")
    static let continuous = Counterpart(
        "To sync continuously, as files change", "filesinki watch")
    private static let deletion = Counterpart(
        "filesinki prune removes old versions, small contents excepted; to delete a path everywhere",
        "filesinki delete -r PATH")
    private static let forgetting = Counterpart(
        "To wait no longer for a device that is gone", "filesinki devices forget NAME")
    private static let dropping = Counterpart(
        "To hold a path no longer", "filesinki only remove PATH")
    private static let ending = Counterpart(
        "A replica has one remote; to make it an ordinary folder again", "filesinki deinit")
    private static let merging = Counterpart(
        "To merge the versions of a conflict in a program", "filesinki resolve PATH --tool meld")
    private static let migration = Counterpart(
        "To copy the store to another place, and to use it there",
        "filesinki remote set URL --migrate")
    private static let oldVersions = Counterpart(
        "To remove old versions from the store", "filesinki prune")
    private static let part = Counterpart(
        "To hold only some folders on this device", "filesinki only set PATH")
    private static let remoteAddress = Counterpart(
        "To print the address of the remote", "filesinki remote")
    private static let recovery = Counterpart(
        "filesinki undelete PATH brings back what was deleted; to go back to an older version",
        "filesinki restore PATH@VERSION")
    private static let reason = Counterpart(
        "To see why a path is as it is", "filesinki explain PATH")
    private static let history = Counterpart(
        "The log has every commit, and none is taken out of it", "filesinki log")
    static let ignoring = Counterpart(
        "What is not synced is listed in .filesinkiignore; to test a path",
        "filesinki check-ignore PATH")
    static let keeping = Counterpart(
        "No version has a name or is pinned; to keep those of a time when old ones are removed",
        "filesinki prune --keep-within 90d")
    static let local = Counterpart(
        "What a replica does not hold is removed here only; to choose what it holds",
        "filesinki only set PATH")
    private static let others = Counterpart(
        "To see the devices that use the store", "filesinki devices")
    private static let sharing = Counterpart(
        "Whoever can reach the store can have a replica of it; there", "filesinki clone URL DIR")
    private static let sizes = Counterpart(
        "To see what takes space in the store", "filesinki du")
    private static let space = Counterpart(
        "The limit of space is the remote's; to see what the store takes of it", "filesinki stats")
    private static let untracking = Counterpart(
        "To keep a file here and sync it no longer, list it in .filesinkiignore; to delete it in the "
            + "store then, and on devices that do not ignore it", "filesinki delete --keep PATH")

    private static let counting = Counterpart(
        "To add to a number in one step", "filesinki kv set KEY 1 --add")
    private static let saving = Counterpart(
        "To change fields of a record", "filesinki rec save TYPE NAME --set FIELD=VALUE")
    private static let finding = Counterpart(
        "To print the records of a type that match", "filesinki rec query TYPE --where PREDICATE")

    static let commands: [String: Counterpart] = [
        "kv add": counting, "kv incr": counting, "kv increment": counting,
        "rec create": saving, "rec set": saving, "rec update": saving,
        "rec find": finding, "rec ls": finding, "rec search": finding,
        "rec types": Counterpart(
            "To print the types of records and their fields", "filesinki rec schema show"),
        "annotate": author,
        "bisync": exchange,
        "clean": oldVersions, "cleanup": oldVersions, "compact": oldVersions,
        "copy": copying,
        "daemon": continuous,
        "df": sizes, "ncdu": sizes, "size": sizes, "usage": sizes,
        "about": space, "free": space, "quota": space, "space": space,
        "evict": local,
        "folders": Counterpart("To list the replicas of this device", "filesinki replicas"),
        "override": Counterpart(
            "To let what is here win in all open conflicts", "filesinki resolve --all --take here"),
        "ren": Counterpart("To rename a path on all devices", "filesinki mv OLD NEW"),
        "stat": Counterpart("To see the mode, size and time of a path", "filesinki ls -l PATH"),
        "filter-branch": deletion, "filter-repo": deletion, "rewrite": deletion,
        "secrets": Counterpart(
            "The history keeps a secret that was synced, so change it, or begin a new store without it",
            "filesinki init DIR --remote URL"),
        "exclude": ignoring, "hide": ignoring, "ignore": ignoring, "ignore-list": ignoring,
        "ignores": ignoring,
        "unignore": Counterpart(
            "A line !PATTERN in .filesinkiignore includes what a line above it ignores; to find that",
            "filesinki check-ignore PATH"),
        "gitignore": Counterpart(
            "To let .gitignore count, too", "filesinki config set gitignore true"),
        "activity": history, "reflog": history,
        "dedupe": Counterpart(
            "Equal contents are stored once, without a command; to see what that saves",
            "filesinki stats"),
        "keep": keeping, "pin": keeping, "tag": keeping,
        "hosts": others, "peers": others,
        "merge-tool": merging,
        "pause": Counterpart(
            "Nothing is synced without a run, and Ctrl-C ends a watch; to see what waits",
            "filesinki sync --dry-run"),
        "rescan": Counterpart("Each run scans the folder", "filesinki sync"),
        "rollback": olderVersion,
        "selective-sync": part,
        "invite": sharing, "link": sharing, "pair": sharing, "share": sharing,
        "snapshot": Counterpart(
            "Each sync that changes something is a commit, to which one can go back",
            "filesinki sync"),
        "vacuum": oldVersions,
        "whoami": Counterpart("To see this device's name", "filesinki status"),
        "migrate": migration,
        "purge": deletion,
        "rebase": exchange,
        "recover": recovery,
        "resume": Counterpart(
            "What a stopped run has not done is done by the next one", "filesinki sync"),
        "sparse-checkout": part,
        "st": Counterpart("To see the state of a replica", "filesinki status"),
        "stash": Counterpart(
            "Every synced version is kept; to go back to one", "filesinki restore PATH@VERSION"),
        "untrack": untracking,
        "add": Counterpart("Files need not be added; to sync them", "filesinki sync"),
        "backup": Counterpart("To store what changed", "filesinki sync"),
        "blame": author,
        "checkout": olderVersion,
        "commit": Counterpart("To publish what changed", "filesinki sync"),
        "cp": copying,
        "fetch": exchange,
        "find": Counterpart("To list all paths", "filesinki ls"),
        "forget": Counterpart(
            "filesinki devices forget NAME forgets a device; to remove old versions",
            "filesinki prune --keep-within 90d"),
        "fsck": verification,
        "gc": oldVersions,
        "get": Counterpart("To print the content of a file", "filesinki load PATH"),
        "info": Counterpart("To see the state of a replica", "filesinki status"),
        "mergetool": merging,
        "mount": Counterpart(
            "A store cannot be mounted; to write the tree of an earlier time into a folder",
            "filesinki restore --at TIME -o DIR"),
        "pull": exchange,
        "push": exchange,
        "put": Counterpart("To write the content of a file", "filesinki save PATH FILE"),
        "reset": olderVersion,
        "revert": olderVersion,
        "snapshots": Counterpart("To list the commits of the store", "filesinki log"),
        "trash": deleted,
        "undo": recovery,
        "unlock": Counterpart(
            "A lock ends with its process, so that none has to be removed; to look for problems",
            "filesinki doctor"),
        "verify": verification,
        "version": version,
        "who": author,
        "why": reason,
        "config edit": Counterpart(
            "The settings are in .filesinki.toml, for any editor; to set one",
            "filesinki config set KEY VALUE"),
        "devices rename": Counterpart(
            "A device is renamed by itself, in its replica", "filesinki init --device NAME"),
        "devices show": Counterpart("To see all devices", "filesinki devices"),
        "devices remove": forgetting,
        "devices rm": forgetting,
        "only all": wholeReplica, "only clear": wholeReplica, "only reset": wholeReplica,
        "only drop": dropping, "only rm": dropping,
        "remote add": Counterpart(
            "A replica has one remote; to set its address", "filesinki remote set URL"),
        "remote get": remoteAddress, "remote get-url": remoteAddress,
        "remote migrate": migration, "remote move": migration, "remote mv": migration,
        "remote remove": ending,
        "remote rm": ending,
        "remote set-url": Counterpart(
            "To set the address of the remote", "filesinki remote set URL"),
    ]
}
