/// Help on what is no command: `filesinki help TOPIC`.
enum HelpTopic: String, CaseIterable {
    case credentials, stores

    /// The topic that arguments ask for; nil for none.
    init?(_ arguments: [String]) {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        self.init(rawValue: arguments[1])
    }

    var text: String {
        switch self {
        case .credentials:
            """
            CREDENTIALS

            A server asks who you are. Secrets come from the environment, from a file or from a
            command, never from an argument or an address.

              filesinki serve   FILESINKI_TOKEN, FILESINKI_TOKEN_FILE or FILESINKI_TOKEN_COMMAND
              WebDAV            FILESINKI_USER and FILESINKI_PASSWORD, or FILESINKI_PASSWORD_FILE,
                                FILESINKI_PASSWORD_COMMAND
              S3                AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws

            For more than one server, use ~/.config/filesinki/credentials.toml (mode 0600):

              [[credential]]
              url = "https://desktop:8390"
              token-file = "/home/me/.config/filesinki/desktop.token"

            A certificate of your own is named by FILESINKI_CA_FILE.
            """
        case .stores:
            """
            STORES

            A replica remembers its store and the last commit that it has seen. When the store's
            history does not contain that commit, the store was replaced, or restored from an older
            backup. Nothing is changed then, and filesinki exits with 7.

              filesinki remote show              where the store is
              filesinki remote set URL           the same store is at another address
              filesinki remote set --accept URL  use the store as it is now

            With --accept nothing is deleted here or there: what both sides have is compared as in
            a first sync, and what differs is kept as a conflict.
            """
        }
    }
}
