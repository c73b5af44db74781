//! The text that is printed when the server is ready: its address, and a QR code for phones.

use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

/// Returns the greeting of a server that listens on `address`. `public` is the configured public URL, and `lan` is this
/// machine's address on the local network. Only terminals get more than one line.
pub fn greeting(address: SocketAddr, public: Option<&str>, lan: Option<IpAddr>, terminal: bool) -> String {
    let here = public.map_or_else(|| link(address), str::to_owned);
    let mut said = format!("Rookery is open at {here}\n");
    if !terminal {
        return said;
    }
    let everywhere = address.ip().is_unspecified();
    let shared = match (public, lan) {
        (Some(public), _) => public.to_owned(),
        (None, Some(lan)) if everywhere => {
            let shared = format!("http://{}", SocketAddr::new(lan, address.port()));
            said += &format!("Friends on the same network open {shared} or scan this code:\n");
            shared
        }
        _ => return said,
    };
    if let Ok(code) = QrCode::new(&shared) {
        // Terminals are mostly dark, so the colours are inverted.
        let picture = code.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build();
        said += &picture;
        said.push('\n');
    }
    said
}

/// Returns this machine's address on the local network, if there is one.
pub fn lan_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // Connecting a UDP socket sends nothing; it only makes the system choose the source address. The target is reserved
    // for documentation.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

/// Returns the URL to open in a browser on this machine.
fn link(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qrcode::Color;

    fn greet(listen: &str, public: Option<&str>, terminal: bool) -> String {
        greeting(listen.parse().unwrap(), public, Some("192.168.1.20".parse().unwrap()), terminal)
    }

    /// Reads half blocks back into modules, without the quiet zone.
    fn scan(lines: &[&str]) -> Vec<Vec<bool>> {
        let mut rows: Vec<Vec<bool>> = Vec::new();
        for line in lines {
            for upper in [true, false] {
                // A lit module is paper, a dark one is ink.
                let lit = |half: char| half == '█' || half == if upper { '▀' } else { '▄' };
                rows.push(line.chars().map(|half| !lit(half)).collect());
            }
        }
        let edge = 4;
        let size = rows[0].len() - 2 * edge;
        rows.iter().skip(edge).take(size).map(|row| row[edge..edge + size].to_vec()).collect()
    }

    #[test]
    fn prints_one_line_for_programs() {
        assert_eq!(greet("0.0.0.0:8080", None, false), "Rookery is open at http://localhost:8080\n");
        assert_eq!(greet("127.0.0.1:81", None, false), "Rookery is open at http://127.0.0.1:81\n");
        assert_eq!(greet("[::1]:81", None, false), "Rookery is open at http://[::1]:81\n");
    }

    #[test]
    fn prints_an_address_and_a_qr_code_on_a_terminal() {
        for (listen, public, first, shared) in [
            ("0.0.0.0:8080", None, "http://localhost:8080", "http://192.168.1.20:8080"),
            ("[::]:8080", None, "http://localhost:8080", "http://192.168.1.20:8080"),
            ("127.0.0.1:80", Some("https://a.example/b"), "https://a.example/b", "https://a.example/b"),
        ] {
            let said = greet(listen, public, true);
            assert!(said.starts_with(&format!("Rookery is open at {first}\n")), "{said}");
            assert!(said.contains(shared), "{said}");
            let picture: Vec<&str> = said.lines().filter(|line| line.contains('█')).collect();
            let code = QrCode::new(shared).unwrap();
            let ink: Vec<bool> = code.to_colors().iter().map(|color| *color == Color::Dark).collect();
            assert_eq!(scan(&picture).concat(), ink, "the code contains {shared}");
        }
    }

    #[test]
    fn prints_no_qr_code_if_only_this_machine_can_connect() {
        assert_eq!(greet("127.0.0.1:8080", None, true).lines().count(), 1);
        let alone = greeting("0.0.0.0:8080".parse().unwrap(), None, None, true);
        assert_eq!(alone.lines().count(), 1, "without a network there is no address to share");
    }
}
