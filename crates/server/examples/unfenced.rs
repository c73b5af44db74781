//! A server without fencing: its appends compare nothing, and it never notices that its lease has expired. It is used
//! only by the control run of the fault tests (`tests/it/cluster/control.rs`), which shows the failures that fencing
//! prevents.

mod control;
#[path = "../tests/it/forward.rs"]
mod forward;

use forward::forward;
use journal::Journal;
use journal::ownership::{Lease, Ownership};
use journal::postgres::Postgres;

struct Unfenced(Postgres);

impl Journal for Unfenced {
    forward!(0: append_lines note open read exists touch forget_unopened running_ms ran probe close);

    fn ownership(&self) -> &dyn Ownership {
        self
    }
}

impl Ownership for Unfenced {
    forward!(0: elsewhere release release_all report nodes figures);

    /// Returns a lease that never expires.
    fn lease(&self) -> Lease {
        Lease::forever()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    control::run(async |settings| Postgres::open_without_fence(settings).await.map(Unfenced)).await
}
