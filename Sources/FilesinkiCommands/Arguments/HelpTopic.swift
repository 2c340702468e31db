/// Help on what is no command: `filesinki help TOPIC`.
enum HelpTopic: String, CaseIterable {
    case credentials

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
        }
    }
}
