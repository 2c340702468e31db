/// Help on a topic that is not a command: `filesinki help TOPIC`.
enum HelpTopic: String, CaseIterable {
    case credentials
    case environment
    case exitCodes = "exit-codes"
    case lostStore = "lost-store"
    case predicates
    case remotes
    case rules

    /// The topic that the arguments ask for; nil when they do not.
    init?(_ arguments: [String]) {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        self.init(rawValue: arguments[1])
    }

    /// The names of all topics, as a sentence lists them.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// Lines of at most 80 columns.
    var text: String {
        switch self {
        case .credentials: Self.credentialsText
        case .environment: Self.environmentText
        case .exitCodes: Self.exitCodesText
        case .lostStore: Self.lostStoreText
        case .predicates: Self.predicatesText
        case .remotes: Self.remotesText
        case .rules: Self.rulesText
        }
    }

    private static let credentialsText = """
        CREDENTIALS

        A server asks who you are. Secrets come from the environment, from a file or
        from a command, never from an argument or an address.

          filesinki serve   --token-file FILE of clone, init and remote set; or
                            FILESINKI_TOKEN, FILESINKI_TOKEN_FILE or
                            FILESINKI_TOKEN_COMMAND
          WebDAV            FILESINKI_USER and FILESINKI_PASSWORD, or
                            FILESINKI_PASSWORD_FILE, FILESINKI_PASSWORD_COMMAND
          S3                AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws

        A replica keeps what clone, init or remote set was given, but for S3 keys. To
        give it another token:

          filesinki remote set https://desktop:8390 --token-file desktop.token

        For more than one server, use ~/.config/filesinki/credentials.toml (mode 0600):

          [[credential]]
          address = "https://desktop:8390"
          token-file = "/home/me/.config/filesinki/desktop.token"

        FILESINKI_CA_FILE names a file of further certificates to trust.

        The passphrase of an encrypted store comes from FILESINKI_PASSPHRASE,
        FILESINKI_PASSPHRASE_FILE or FILESINKI_PASSPHRASE_COMMAND; FILESINKI_KEY_FILE
        names a key file. Only init, clone and remote set need it: the replica keeps the
        store's key.
        """

    private static let environmentText = """
        ENVIRONMENT

          FILESINKI_ROOT      The replica, if none is found above the current folder.
          FILESINKI_DEVICE    The name of this device for init; else the host name.
          XDG_DATA_HOME       Where the default replica is: filesinki in this folder;
                              ~/.local/share if not set.
          XDG_CONFIG_HOME     Where this device's filesinki/config.toml is; ~/.config if
                              not set.
          XDG_STATE_HOME      Where the list of replicas is: filesinki/replicas in this
                              folder; ~/.local/state if not set.
          FILESINKI_PING_URL  The default of sync --ping-url.
          FILESINKI_INSECURE  1 allows secrets to be sent without encryption, in a
                              network that you trust.
          FILESINKI_SSH_COMMAND
                              What is run in place of ssh, with its arguments; else
                              the setting ssh-command of a device's config.toml.
          NO_COLOR, TERM      No colours when set, or dumb.
          PAGER               The pager for long differences on a terminal; empty or cat
                              for none.
          TZ                  The local time zone.

        The secrets of an encrypted store, for init, clone, remote set and key:

          FILESINKI_PASSPHRASE          The passphrase itself.
          FILESINKI_PASSPHRASE_FILE     The first line of this private file.
          FILESINKI_PASSPHRASE_COMMAND  The first line of what this command prints.
          FILESINKI_KEY_FILE            A key file in place of a passphrase.

        Variables that authenticate with a server: see filesinki help credentials.
        """

    private static let exitCodesText = """
        EXIT CODES

            0  Done. For save and delete: done here, and published or queued.
            1  A negative answer: not found, differs, nothing to list; sync without a
               remote.
            2  Usage: a bad argument, rule or setting.
            3  A person has to decide; nothing is lost. This run made a conflict copy,
               began to withhold something, or leaves a conflict open, as each run does
               until it is resolved. Conflict copies of earlier runs and other devices
               are named, and do not count. All else was sent and received: status
               counts the run as a sync. conflicts exits with 3 while a conflict is
               open, status also while something is withheld.
            4  An error of the local file system.
            5  Partial: some paths failed and are listed; the rest is done.
            6  A limit: quota, size, --max-delete.
            7  Not allowed, or not the replica's store.
            8  Corrupt: a hash does not match, or the format is invalid or newer.
            9  A change token expired.
           75  The remote is unavailable or busy; completed work is kept, run again.
          130  Stopped by SIGINT; the state is consistent.
          143  Stopped by SIGTERM; the state is consistent.

        When several apply, an unavailable remote takes precedence over failed paths,
        and these over conflicts.
        """

    private static let remotesText = """
        REMOTES

        The store that replicas share is at one of these addresses:

          /mnt/share/store or file:///mnt/share/store
                            A folder: a disk, or a share that is mounted. In an address
                            with file://, a space is %20.
          USER@HOST:PATH    A folder of a host with sshd, by the host's filesinki or
                            by SFTP: below the home folder there, or /PATH. A folder
                            of this machine with a colon in its name is ./a:b.
          ssh://USER@HOST:PORT/PATH
                            The same, with /PATH from the root of the host, or
                            /~/PATH below the home folder. USER and PORT may be left
                            out.
          https://HOST:8390 or http://HOST:8390
                            A store that filesinki serve offers.
          webdavs://HOST/PATH or webdav://HOST/PATH
                            A folder of a WebDAV server; also davs://, dav://.
          s3://BUCKET/PREFIX?endpoint=HOST&region=REGION
                            A bucket of S3, or of a compatible server.
          rclone:REMOTE:PATH
                            A place that rclone reaches, by a name that 'rclone
                            listremotes' shows. At most of them, one device
                            publishes: --single-writer.

        An address contains no secret: see filesinki help credentials. Whether a remote
        provides the guarantees that a store needs:

          filesinki remote check webdavs://dav.example.org/store

        init --remote creates a store at its address if it does not exist; clone needs
        an existing one. remote set --migrate copies the store to another address.
        """

    private static let rulesText = """
        RULES

        Which files are synced: .filesinkiignore, in any folder, has the syntax of
        .gitignore. Names that end with .nosync are ignored without a rule. A file that
        was synced before stays on every device and in the store, where filesinki
        delete --keep deletes it. filesinki check-ignore PATH shows the rule.

        How conflicts are resolved: .filesinki.toml in the root of the replica, which is
        synced. ~/.config/filesinki/config.toml of a device overrides it, and
        .filesinki/config.toml of a replica overrides both.

          strategy = "auto, keep-both"    # the default: merge, or keep both versions
          on-delete = "keep"              # when one side edited and the other deleted
          max-delete = "30%"              # a run that would delete more stops
          gitignore = true                # .gitignore files apply, too

          [[rule]]                        # for some paths; the last match applies
          match = "*.log"
          strategy = "newest, keep-both"

        filesinki config shows and changes the settings for all paths by name.

        A strategy is a chain: the first link that decides wins. Links that merge lose
        nothing: auto, text, lines, union-lines, json, jsonc, ini, toml, yaml, po, ical,
        vcard, xml, markdown, ipynb, csv, odf, ooxml, epub, sqlite. Links that choose
        a side: newest, oldest, larger, smaller, here, there, ask. keep-both keeps both
        versions, leave leaves the conflict open. What is replaced stays in the history.
        """
}
