package import FilesinkiHTTP
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The credentials, region and service given by the environment and AWS's files, in the order of precedence
/// of AWS's programs:
/// https://docs.aws.amazon.com/sdkref/latest/guide/creds-config-files.html
package struct AWSConfiguration: Sendable {
    let environment: @Sendable (String) -> String?
    /// The profile that is used.
    let profile: String
    /// Whether the address named the profile: then keys in the environment are ignored.
    let isExplicit: Bool
    private let settings: [String: [String: String]]
    private let profileSettings: [String: String]

    /// Reads the settings file, `~/.aws/config` or what `AWS_CONFIG_FILE` names.
    ///
    /// - Parameters:
    ///   - profile: The profile named by the address; nil for `AWS_PROFILE`.
    ///   - environment: Returns the value of a variable; nil when it is not set.
    /// - Throws: `Failure` when the file cannot be read.
    package init(
        profile: String? = nil, environment: @escaping @Sendable (String) -> String?
    ) throws(Failure) {
        // As in AWS's programs, an empty variable counts as unset.
        let environment: @Sendable (String) -> String? = { name in
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        self.environment = environment
        isExplicit = profile != nil
        self.profile =
            profile ?? environment("AWS_PROFILE") ?? environment("AWS_DEFAULT_PROFILE")
            ?? "default"
        var text = ""
        if let path = Self.path("AWS_CONFIG_FILE", "config", environment) {
            text = try SettingsFile(path).text
        }
        let file = ProfileFile(text)
        settings = file.sections
        profileSettings = file.profile(self.profile, isCredentials: false) ?? [:]
    }

    /// The region named by the environment or the profile.
    package func region() throws(Failure) -> String? {
        let named = environment("AWS_REGION") ?? environment("AWS_DEFAULT_REGION")
        guard
            let region =
                (isExplicit
                    ? profileSettings["region"] ?? named : named ?? profileSettings["region"])
        else { return nil }
        return try S3Address.checked(region: region)
    }

    /// The service named by the environment or the profile.
    package func endpoint() throws(Failure) -> WebAddress? {
        let ignored =
            environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
            ?? profileSettings["ignore_configured_endpoint_urls"]
        if ignored?.lowercased() == "true" { return nil }
        let services = settings["services \(profileSettings["services"] ?? "")"]
        let own = ProfileFile.nested(services?["s3"])["endpoint_url"]
        guard
            let text = environment("AWS_ENDPOINT_URL_S3") ?? environment("AWS_ENDPOINT_URL") ?? own
                ?? profileSettings["endpoint_url"]
        else { return nil }
        return try S3Address.checked(endpoint: text)
    }

    /// The address, completed with the region, service and style of the configuration.
    package func completing(_ address: S3Address) throws(Failure) -> S3Address {
        var address = address
        if address.region == nil { address.region = try region() }
        if address.endpoint == nil { address.endpoint = try endpoint() }
        let style = ProfileFile.nested(profileSettings["s3"])["addressing_style"]
        if address.style == nil { address.style = style.flatMap(S3Address.Style.init) }
        return address
    }

    /// The credentials file, `~/.aws/credentials` or what `AWS_SHARED_CREDENTIALS_FILE` names.
    func credentialsFile() throws(Failure) -> SettingsFile? {
        guard let path = Self.path("AWS_SHARED_CREDENTIALS_FILE", "credentials", environment)
        else { return nil }
        return try SettingsFile(path)
    }

    /// The settings file, read again.
    func settingsFile() throws(Failure) -> SettingsFile? {
        guard let path = Self.path("AWS_CONFIG_FILE", "config", environment) else { return nil }
        return try SettingsFile(path)
    }

    private static func path(
        _ variable: String, _ name: String, _ environment: (String) -> String?
    ) -> String? {
        let home = environment("HOME")
        if let path = environment(variable) {
            guard path.hasPrefix("~/"), let home else { return path }
            return home + path.dropFirst()
        }
        return home.map { $0 + "/.aws/" + name }
    }
}

// Credentials from the environment, the files, or the command named in a file: the first one found.
extension AWSConfiguration: S3CredentialSource {
    package func credentials() async throws -> S3Credentials {
        if !isExplicit, let found = try fromEnvironment() { return found }
        let files = [
            (try credentialsFile(), true),
            (try settingsFile(), false),
        ]
        for (file, isCredentials) in files {
            guard let file,
                let values = ProfileFile(file.text).profile(profile, isCredentials: isCredentials)
            else { continue }
            if let found = try Self.keys(values, of: file) { return found }
            if let command = values["credential_process"] {
                try file.requirePrivateCommand()
                return try await CredentialCommand(text: command).readCredentials()
            }
            if values["role_arn"] != nil || values.keys.contains(where: { $0.hasPrefix("sso_") }) {
                throw needsLoginError
            }
        }
        throw Failure(
            .notAllowed, "No S3 keys found in the profile \(profile).",
            remedy: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into "
                + "~/.aws/credentials."
        ).about(.noAccount)
    }

    private func fromEnvironment() throws(Failure) -> S3Credentials? {
        let id = environment("AWS_ACCESS_KEY_ID")
        let secret = environment("AWS_SECRET_ACCESS_KEY")
        guard id != nil || secret != nil else { return nil }
        guard let id, let secret else {
            throw Failure(
                .usage, "One of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is not set.",
                remedy: "Set both, or neither.")
        }
        return try Self.checked(id, secret, token: environment("AWS_SESSION_TOKEN"), "")
    }

    private static func keys(
        _ values: [String: String], of file: SettingsFile
    ) throws(Failure) -> S3Credentials? {
        guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"]
        else { return nil }
        try file.requirePrivateSecrets()
        return try checked(id, secret, token: values["aws_session_token"], file.path)
    }

    /// Checks keys, because they become part of header fields.
    static func checked(
        _ id: String, _ secret: String, token: String?, _ source: String
    ) throws(Failure) -> S3Credentials {
        let isPlain = [id, token ?? ""].allSatisfy { text in
            text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard isPlain, !id.isEmpty, !secret.isEmpty else {
            throw Failure(
                .usage, path: source, "Invalid S3 keys.",
                remedy: "Copy them again, without quotation marks and spaces.")
        }
        let token = token.flatMap { $0.isEmpty ? nil : Secret($0) }
        return S3Credentials(keyID: id, secretKey: Secret(secret), sessionToken: token)
    }

    private var needsLoginError: Failure {
        Failure(
            .notAllowed, "The profile \(profile) requires a login that filesinki does not support.",
            remedy: "Add credential_process = aws configure export-credentials "
                + "--profile \(profile) --format process.")
    }
}
/// A parsed profile file of AWS: sections of names and values.
///
/// The format is https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html. As in the
/// AWS CLI, there are no comments after values.
struct ProfileFile: Sendable {
    /// The values of each section. An indented line continues the value before it.
    private(set) var sections: [String: [String: String]] = [:]

    init(_ text: String = "") {
        var section: String?
        var name: String?
        // By scalars, because CR LF is one character.
        for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
            let content = String(line).trimmingSpace
            guard let first = content.first, first != "#", first != ";" else { continue }
            if let section, let name, line.first?.properties.isWhitespace == true {
                sections[section]?[name, default: ""] += "\n" + content
            } else if first == "[" {
                section = Self.sectionName(content)
                name = nil
                if let section { sections[section, default: [:]] = sections[section] ?? [:] }
            } else if let section, let pair = Self.pair(content) {
                sections[section]?[pair.name] = pair.value
                name = pair.name
            }
        }
    }

    /// The nested values of a name, one per indented line.
    static func nested(_ value: String?) -> [String: String] {
        let lines = (value ?? "").split(separator: "\n").compactMap { pair(String($0)) }
        return Dictionary(lines.map { ($0.name, $0.value) }) { $1 }
    }

    /// The values of a profile: `[profile name]` in the settings file, except for the default profile, and
    /// `[name]` in the credentials file. Nil when there is no such section.
    func profile(_ name: String, isCredentials: Bool) -> [String: String]? {
        if isCredentials { return sections[name] }
        return sections["profile \(name)"] ?? (name == "default" ? sections[name] : nil)
    }

    private static func sectionName(_ line: String) -> String? {
        guard let end = line.lastIndex(of: "]") else { return nil }
        let words = line[line.index(after: line.startIndex)..<end]
            .split(maxSplits: 1, whereSeparator: \.isWhitespace)
        return words.map { String($0).trimmingSpace.filter { $0 != "\"" && $0 != "'" } }
            .joined(separator: " ")
    }

    private static func pair(_ line: String) -> (name: String, value: String)? {
        let halves = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let name = String(halves[0]).trimmingSpace.lowercased()
        return name.isEmpty ? nil : (name, String(halves[1]).trimmingSpace)
    }
}

extension String {
    /// Without white space at its ends.
    fileprivate var trimmingSpace: String {
        let kept = drop(while: \.isWhitespace)
        guard let last = kept.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(kept[...last])
    }
}

/// A settings or credentials file of AWS. Other users may read it unless it contains a secret.
struct SettingsFile: Sendable {
    let path: String
    /// Empty when there is no file.
    let text: String
    private let mode: mode_t

    /// Reads the file. A missing file is empty.
    ///
    /// - Throws: `Failure`: `not-allowed` when it belongs to another user or is not a regular file, `io`,
    ///   `limit`.
    init(_ path: String) throws(Failure) {
        let content = try PrivateFile(path).readWithMode()
        self.path = path
        text = String(decoding: content?.bytes ?? [], as: UTF8.self)
        mode = content?.mode ?? 0
    }

    /// Throws if other users can read the secrets in the file.
    func requirePrivateSecrets() throws(Failure) {
        guard mode & 0o077 != 0 else { return }
        throw Failure(
            .notAllowed, path: path, "Other users can read or change this credentials file.",
            remedy: "Run chmod 600 on it, and create new keys if others may have read it.")
    }

    /// Throws if other users can change the command in the file.
    func requirePrivateCommand() throws(Failure) {
        guard mode & 0o022 != 0 else { return }
        throw Failure(
            .notAllowed, path: path, "Other users can change the command in this file.",
            remedy: "Run chmod go-w on it.")
    }
}
