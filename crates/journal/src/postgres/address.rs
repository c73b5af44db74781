//! The address of the database as configured by the host, and the encryption of the connection. The password is never
//! printed.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::config::{self, Config, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Default timeout for the whole handshake with one host.
const CONNECT: Duration = Duration::from_secs(2);
/// Upper limit for `connect_timeout`.
const LONGEST: Duration = Duration::from_secs(10);

/// Example of a valid address, for error messages.
const WANTED: &str = "an address such as postgres://user:password@host/database";

/// The address of a database: `postgres://user:password@host/database`, with several hosts separated by commas and
/// PostgreSQL's parameters after a `?`.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    config: Config,
    trust: Trust,
}

/// Which certificates are accepted. As in libpq, only `verify-full` and `verify-ca` check the certificate at all.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Trust {
    /// Any certificate: protects against eavesdropping, but not against an active attacker.
    Anybody,
    /// Certificates signed by a public authority, or by those in this file (`sslrootcert`).
    Known { file: Option<PathBuf> },
}

/// One of the hosts of an address.
#[derive(Clone, Debug)]
pub(super) struct Host {
    /// Its position in the address, counted from 0.
    pub(super) place: usize,
    /// Its name in log messages.
    pub(super) name: String,
    /// The name and port to resolve, if it is given by name.
    pub(super) to_resolve: Option<(String, u16)>,
}

impl Address {
    /// Returns whether a text is the address of a database and not a folder.
    pub fn is_meant_by(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Returns the names of the database and of the user.
    pub(super) fn names(&self) -> (String, String) {
        let user = self.config.get_user().unwrap_or("postgres");
        (self.config.get_dbname().unwrap_or(user).to_owned(), user.to_owned())
    }

    /// Returns the timeout for the whole handshake with one host.
    pub(super) fn limit(&self) -> Duration {
        self.config.get_connect_timeout().copied().unwrap_or(CONNECT).min(LONGEST)
    }

    /// Returns whether the address asks for a writable host among several.
    pub(super) fn is_for_several(&self) -> bool {
        let wanted = self.config.get_target_session_attrs();
        self.config.get_hosts().len() > 1 || wanted == TargetSessionAttrs::ReadWrite
    }

    /// Returns the hosts in the order of the address.
    pub(super) fn hosts(&self) -> Vec<Host> {
        let count = self.config.get_hosts().len().max(self.config.get_hostaddrs().len());
        let host = |place| {
            let (host, port) = (self.config.get_hosts().get(place), self.port(place));
            let addr = self.config.get_hostaddrs().get(place);
            let name = host.map(name_of).or_else(|| addr.map(ToString::to_string)).unwrap_or_default();
            let to_resolve = match host {
                Some(config::Host::Tcp(name)) if addr.is_none() => Some((name.clone(), port)),
                _ => None,
            };
            Host { place, name: format!("{name}:{port}"), to_resolve }
        };
        (0..count).map(host).collect()
    }

    /// Returns the configuration for connecting to this host only, at one of its resolved addresses if given.
    pub(super) fn config_for(&self, host: &Host, resolved: Option<IpAddr>) -> Config {
        let all = &self.config;
        let mut one = Config::new();
        match all.get_hosts().get(host.place) {
            Some(config::Host::Tcp(name)) => {
                one.host(name);
            }
            #[cfg(unix)]
            Some(config::Host::Unix(path)) => {
                one.host_path(path);
            }
            None => {}
        }
        if let Some(addr) = resolved.or(all.get_hostaddrs().get(host.place).copied()) {
            one.hostaddr(addr);
        }
        one.port(self.port(host.place));
        if let Some(user) = all.get_user() {
            one.user(user);
        }
        if let Some(password) = all.get_password() {
            one.password(password);
        }
        if let Some(dbname) = all.get_dbname() {
            one.dbname(dbname);
        }
        if let Some(options) = all.get_options() {
            one.options(options);
        }
        if let Some(name) = all.get_application_name() {
            one.application_name(name);
        }
        if let Some(timeout) = all.get_tcp_user_timeout() {
            one.tcp_user_timeout(*timeout);
        }
        one.keepalives(all.get_keepalives()).keepalives_idle(all.get_keepalives_idle());
        if let Some(interval) = all.get_keepalives_interval() {
            one.keepalives_interval(interval);
        }
        if let Some(retries) = all.get_keepalives_retries() {
            one.keepalives_retries(retries);
        }
        one.ssl_mode(all.get_ssl_mode()).ssl_negotiation(all.get_ssl_negotiation());
        one.channel_binding(all.get_channel_binding()).connect_timeout(self.limit());
        one
    }

    fn port(&self, place: usize) -> u16 {
        let ports = self.config.get_ports();
        ports.get(place).or(ports.first()).copied().unwrap_or(5432)
    }

    /// Returns the TLS configuration, or what is wrong with the certificate file.
    pub(super) fn tls(&self) -> Result<MakeRustlsConnect, String> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let verifier: Arc<dyn ServerCertVerifier> = match &self.trust {
            Trust::Anybody => Arc::new(AnyCertificate(provider.signature_verification_algorithms)),
            Trust::Known { file } => {
                let roots = Arc::new(roots(file.as_ref())?);
                let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider);
                verifier.build().map_err(|error| error.to_string())?
            }
        };
        let config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
        Ok(MakeRustlsConnect::new(config))
    }
}

fn roots(file: Option<&PathBuf>) -> Result<RootCertStore, String> {
    let Some(file) = file else {
        return Ok(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() });
    };
    let unread = |reason: String| format!("cannot read the certificates in {}: {reason}", file.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unread(error.to_string()))? {
        let certificate = certificate.map_err(|error| unread(error.to_string()))?;
        roots.add(certificate).map_err(|error| unread(error.to_string()))?;
    }
    if roots.is_empty() { Err(unread("there are none".to_owned())) } else { Ok(roots) }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        if !Address::is_meant_by(text) {
            return Err(WANTED.to_owned());
        }
        let (place, parameters) = text.split_once('?').unwrap_or((text, ""));
        let (mut trust, mut file) = (Trust::Anybody, None);
        let mut passed_on = Vec::new();
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=').unwrap_or((parameter, "")) {
                ("sslmode", "verify-full" | "verify-ca") => {
                    trust = Trust::Known { file: None };
                    passed_on.push("sslmode=require");
                }
                ("sslrootcert", path) => file = Some(PathBuf::from(path.replace("%2F", "/"))),
                _ => passed_on.push(parameter),
            }
        }
        if let (Trust::Known { file: wanted }, Some(_)) = (&mut trust, &file) {
            *wanted = file;
        }
        // The parser's message names a parameter and never contains its value.
        let mut config: Config =
            format!("{place}?{}", passed_on.join("&")).parse().map_err(|error: tokio_postgres::Error| {
                let reason = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                format!("{WANTED}; {reason}")
            })?;
        if config.get_hosts().is_empty() {
            return Err(WANTED.to_owned());
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_application_name().is_none() {
            config.application_name("rookery");
        }
        // With keepalives, a database that disappears silently is noticed within seconds instead of hours.
        config.keepalives(true).keepalives_idle(Duration::from_secs(5));
        config.keepalives_interval(Duration::from_secs(2)).keepalives_retries(3);
        config.tcp_user_timeout(Duration::from_secs(10));
        Ok(Address { config, trust })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (database, user) = self.names();
        let hosts: Vec<String> = self.config.get_hosts().iter().map(name_of).collect();
        let ports = self.config.get_ports();
        let hosts = hosts.iter().enumerate().map(|(n, host)| match ports.get(n).or(ports.first()) {
            Some(port) => format!("{host}:{port}"),
            None => host.clone(),
        });
        write!(f, "postgres://{user}@{}/{database}", hosts.collect::<Vec<_>>().join(","))
    }
}

fn name_of(host: &config::Host) -> String {
    match host {
        config::Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        config::Host::Unix(path) => path.display().to_string(),
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// Accepts any certificate, like libpq with `sslmode=require`. The handshake signature is still verified.
#[derive(Debug)]
struct AnyCertificate(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_never_printed() {
        let address: Address = "postgres://ann:s3cret@db.example.org:5433/games".parse().unwrap();
        assert_eq!(address.to_string(), "postgres://ann@db.example.org:5433/games");
        assert!(!format!("{address:?} {:?}", address.config).contains("s3cret"));
        for wrong in ["postgres://ann:s3cret@/games", "postgres://ann:s3cret@host:port/games?x=y"] {
            let said = wrong.parse::<Address>().unwrap_err();
            assert!(said.starts_with("an address such as") && !said.contains("s3cret"), "{said}");
        }
    }

    #[test]
    fn an_address_may_name_several_hosts() {
        let address: Address =
            "postgres://ann@one,two/games?target_session_attrs=read-write&sslmode=require".parse().unwrap();
        let names: Vec<String> = address.hosts().into_iter().map(|host| host.name).collect();
        assert_eq!(names, ["one:5432", "two:5432"]);
        assert!(address.is_for_several());
        let second = address.config_for(&address.hosts()[1], Some([192, 0, 2, 1].into()));
        assert_eq!(second.get_hosts(), [config::Host::Tcp("two".to_owned())]);
        assert_eq!((second.get_user(), second.get_dbname()), (Some("ann"), Some("games")));
        assert_eq!(second.get_ssl_mode(), config::SslMode::Require);
        assert_eq!(address.trust, Trust::Anybody, "as in libpq");
    }

    #[test]
    fn certificates_are_verified_if_sslmode_asks_for_it() {
        let full: Address = "postgres://ann@one/games?sslmode=verify-full".parse().unwrap();
        assert_eq!(full.trust, Trust::Known { file: None });
        assert!(full.tls().is_ok());
        let own = "postgres://ann@one/games?sslrootcert=%2Fno%2Fsuch&sslmode=verify-full";
        let own: Address = own.parse().unwrap();
        assert!(own.tls().err().is_some_and(|said| said.contains("/no/such")));
    }
}
