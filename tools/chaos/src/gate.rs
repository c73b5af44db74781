//! A TCP forwarder that can be shut: it then cuts its connections and refuses new ones. It does not interpret the
//! bytes.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A forwarder in front of an address. It starts open and stops when this is dropped.
pub struct Gate {
    /// Address to connect to.
    pub address: SocketAddr,
    open: Arc<watch::Sender<bool>>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Gate {
    /// Creates a gate in front of `target`, which need not be listening yet.
    pub async fn before(target: SocketAddr) -> io::Result<Gate> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let open = Arc::new(watch::Sender::new(true));
        let accepting = tokio::spawn(accept(listener, target, open.clone()));
        Ok(Gate { address, open, accepting })
    }

    /// Cuts all connections and refuses new ones.
    pub fn shut(&self) {
        self.open.send_replace(false);
    }

    /// Accepts connections again.
    pub fn open(&self) {
        self.open.send_replace(true);
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.accepting.abort();
        self.shut();
    }
}

async fn accept(listener: TcpListener, target: SocketAddr, open: Arc<watch::Sender<bool>>) {
    loop {
        let Ok((mut near, _)) = listener.accept().await else { return };
        let mut gate = open.subscribe();
        if !*gate.borrow_and_update() {
            continue; // Dropping the stream closes it.
        }
        tokio::spawn(async move {
            let Ok(mut far) = TcpStream::connect(target).await else { return };
            let _ = (near.set_nodelay(true), far.set_nodelay(true));
            tokio::select! {
                _ = copy_bidirectional(&mut near, &mut far) => {}
                _ = gate.wait_for(|open| !open) => {}
            }
        });
    }
}

/// Returns a loopback address with a free port, see [`pgtest::free_port`].
pub fn free_port() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], pgtest::free_port()))
}
