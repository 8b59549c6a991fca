//! Looking after sessions when their time has come: one task for all of them.

use std::sync::{Arc, Weak};

use hermes_proto::admit::Gone;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::{SessionEvent, Shared};

/// Looks after the sessions of an endpoint as long as it lives.
pub(super) async fn sweep(shared: Weak<Shared>, sooner: Arc<Notify>) {
    loop {
        let next = {
            let Some(living) = shared.upgrade() else { return };
            look(&living);
            living.roster().next_due().map(Instant::from_std)
        };
        // Waiting holds nothing of the endpoint: its end is told by `sooner` too.
        match next {
            Some(next) => tokio::select! {
                () = tokio::time::sleep_until(next) => {}
                () = sooner.notified() => {}
            },
            None => sooner.notified().await,
        }
    }
}

/// Looks after every session that is due.
fn look(shared: &Arc<Shared>) {
    let idle = shared.options.session_idle;
    loop {
        let due = shared.roster().take_due(Instant::now().into_std());
        let Some((id, link)) = due else { return };
        match link.look_after(idle) {
            Some(next) => {
                shared.roster().watch(id, next.into_std());
            }
            None => {
                if shared.end(id, Gone::Expired).is_some() {
                    shared.stats.expired();
                    shared.options.on_session.tell(SessionEvent::Expired, || link.listing());
                }
            }
        }
    }
}
