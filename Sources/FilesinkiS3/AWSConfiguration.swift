package import FilesinkiHTTP
package import FilesinkiModel

/// What the environment and AWS's files say of who asks, and whom.
///
/// The order is that of AWS's own programs:
/// https://docs.aws.amazon.com/sdkref/latest/guide/creds-config-files.html
package struct AWSConfiguration: Sendable {
    let environment: @Sendable (String) -> String?
    /// The section of the files that counts.
    let profile: String
    /// Whether the address named the profile: then keys in the environment do not count.
    let isExplicit: Bool
    private let settings: [String: [String: String]]
    private let chosen: [String: String]

    /// Reads the file of settings, `~/.aws/config` or what `AWS_CONFIG_FILE` names.
    ///
    /// - Parameters:
    ///   - profile: What the address says; nil for what `AWS_PROFILE` does.
    ///   - environment: A variable's value; nil when it is not set.
    /// - Throws: `Failure` with code `usage` when a file cannot be read or is not understood.
    package init(
        profile: String? = nil, environment: @escaping @Sendable (String) -> String?
    ) throws(Failure) {
        // As AWS's programs do: a variable that is set to nothing is not set.
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
        chosen = file.profile(self.profile, isCredentials: false) ?? [:]
    }

    /// The region that the environment or the profile names.
    package func region() throws(Failure) -> String? {
        let named = environment("AWS_REGION") ?? environment("AWS_DEFAULT_REGION")
        guard let region = (isExplicit ? chosen["region"] ?? named : named ?? chosen["region"])
        else { return nil }
        return try S3Address.checked(region: region)
    }

    /// The service that the environment or the profile names.
    package func endpoint() throws(Failure) -> WebAddress? {
        let ignored =
            environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
            ?? chosen["ignore_configured_endpoint_urls"]
        if ignored?.lowercased() == "true" { return nil }
        let services = settings["services \(chosen["services"] ?? "")"]
        let own = ProfileFile.nested(services?["s3"])["endpoint_url"]
        guard
            let text = environment("AWS_ENDPOINT_URL_S3") ?? environment("AWS_ENDPOINT_URL") ?? own
                ?? chosen["endpoint_url"]
        else { return nil }
        return try S3Address.checked(endpoint: text)
    }

    /// The address with what it leaves open filled in.
    package func completing(_ address: S3Address) throws(Failure) -> S3Address {
        var address = address
        if address.region == nil { address.region = try region() }
        if address.endpoint == nil { address.endpoint = try endpoint() }
        let style = ProfileFile.nested(chosen["s3"])["addressing_style"]
        if address.style == nil { address.style = style.flatMap(S3Address.Style.init) }
        return address
    }

    /// The file of credentials, `~/.aws/credentials` or what `AWS_SHARED_CREDENTIALS_FILE` names.
    func credentialsFile() throws(Failure) -> SettingsFile? {
        guard let path = Self.path("AWS_SHARED_CREDENTIALS_FILE", "credentials", environment)
        else { return nil }
        return try SettingsFile(path)
    }

    /// The file of settings, read anew.
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
