//! The control run: with the fence taken out the fault tests must fail, or they prove nothing.

use super::faults::chaos;
use chaos::judge::Promise;
use std::path::PathBuf;

/// The server without a fence, which `cargo test` builds with the tests.
fn unfenced() -> PathBuf {
    let rookery = PathBuf::from(env!("CARGO_BIN_EXE_rookery"));
    let program = rookery.with_file_name("examples").join("unfenced");
    assert!(program.is_file(), "`cargo build -p server --example unfenced` makes it");
    program
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_fence_a_server_that_was_paused_plays_on_beside_its_successor() {
    // Lines are cut, so that people come back, and some to the server that does not know that its time is over.
    let report = chaos(&unfenced(), "--seconds 22 --rooms 6 --seed 5 --faults stop,cut --patience 10").await;
    let seen = [Promise::Lost, Promise::Doubled, Promise::Diverged].map(|promise| report.count(promise));
    assert!(seen.iter().sum::<usize>() > 0, "the judge must see two servers at one table: {report}");
    println!("without the fence: {} lost, {} doubled, {} divergent", seen[0], seen[1], seen[2]);
    let told = report.violations.iter().find(|violation| violation.room.is_some());
    println!("{}", told.expect("it says where, and how"));
}
