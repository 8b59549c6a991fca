//! A thousand clients come and go: afterwards there is no task, no descriptor, no process and no session of theirs,
//! however they went. Everything is counted, exactly.

mod count;
mod ways;

use hermes::types::Era;

use count::House;
use ways::{Kind, Way};

/// Says how many clients come, for a longer or a shorter run.
const CLIENTS: &str = "HERMES_LEAK_CLIENTS";

/// A child takes its time to start, so those that are not closed in good order are fewer.
fn clients(kind: Kind, way: Way) -> u64 {
    let usual = if matches!((kind, way), (Kind::Child, Way::Drop | Way::Abandon)) { 200 } else { 1000 };
    let number = |text: String| text.parse().unwrap_or_else(|_| panic!("{CLIENTS} is no number: {text}"));
    std::env::var(CLIENTS).map_or(usual, number)
}

/// Has clients come, and go in this way, and counts what is left.
fn nothing_is_left(kind: Kind, way: Way) {
    let house = House::open(kind);
    house.runtime.block_on(async {
        // Whatever is made once and kept is made now.
        ways::visit(&house, Kind::Child, Way::Close, 1).await;
        ways::visit(&house, kind, Way::Close, 10).await;
        let before = house.empty().await;
        let clients = clients(kind, way);
        let abandoned = ways::visit(&house, kind, way, clients).await;
        assert_eq!(abandoned > 0, way == Way::Abandon, "{abandoned} of {clients} never came to be");
        let after = house.empty().await;
        assert_eq!(after, before, "descriptors are left: {}", count::descriptors_shown());
    });
}

#[test]
fn clients_over_http_that_are_closed_leave_nothing_in_the_legacy_era() {
    nothing_is_left(Kind::Http(Era::Legacy), Way::Close);
}

#[test]
fn clients_over_http_that_are_closed_leave_nothing_in_the_modern_era() {
    nothing_is_left(Kind::Http(Era::Modern), Way::Close);
}

#[test]
fn clients_over_http_that_are_dropped_leave_nothing_in_the_legacy_era() {
    nothing_is_left(Kind::Http(Era::Legacy), Way::Drop);
}

#[test]
fn clients_over_http_that_are_dropped_leave_nothing_in_the_modern_era() {
    nothing_is_left(Kind::Http(Era::Modern), Way::Drop);
}

#[test]
fn clients_over_http_that_never_were_leave_nothing_in_the_legacy_era() {
    nothing_is_left(Kind::Http(Era::Legacy), Way::Abandon);
}

#[test]
fn clients_over_http_that_never_were_leave_nothing_in_the_modern_era() {
    nothing_is_left(Kind::Http(Era::Modern), Way::Abandon);
}

#[test]
fn clients_of_children_that_are_closed_leave_nothing() {
    nothing_is_left(Kind::Child, Way::Close);
}

#[test]
fn clients_of_children_that_are_dropped_leave_nothing() {
    nothing_is_left(Kind::Child, Way::Drop);
}

#[test]
fn clients_of_children_that_never_were_leave_nothing() {
    nothing_is_left(Kind::Child, Way::Abandon);
}

#[test]
fn clients_in_memory_that_are_closed_leave_nothing() {
    nothing_is_left(Kind::Memory, Way::Close);
}

#[test]
fn clients_in_memory_that_are_dropped_leave_nothing() {
    nothing_is_left(Kind::Memory, Way::Drop);
}

#[test]
fn clients_in_memory_that_never_were_leave_nothing() {
    nothing_is_left(Kind::Memory, Way::Abandon);
}
