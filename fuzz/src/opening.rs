//! A conversation on one channel: whatever the client sends, each request has one outcome.
//!
//! The input is a script, one step a line:
//!
//! | line | step |
//! |---|---|
//! | `!settle 0` | the handler of the first accepted request ends |
//! | `!listen 0` | the first accepted request becomes a listen stream |
//! | `!ask` | the server asks the client something |
//! | `!give-up 0` | the server no longer waits for the first answer |
//! | anything else | the client sends this line |
//!
//! * A request that is accepted is answered once, whatever else happens; one that was cancelled, never.
//! * A request whose id is in flight is refused, and the first one goes on.
//! * Notifications and responses are never answered; a refusal carries the id of what it refuses.
//! * A session is opened by one handshake and never replaced; a modern request needs none.
//! * What the server asks is settled once, or given back.

use crate::channel_model::Watched;

/// Checks one conversation; see the seeds.
pub fn check(input: &[u8]) {
    let mut channel = Watched::new();
    for line in input.split(|byte| *byte == b'\n') {
        let command = line.strip_prefix(b"!").and_then(|command| str::from_utf8(command).ok());
        let (name, n) =
            command.map(|command| command.split_once(' ').unwrap_or((command, ""))).unwrap_or_default();
        match (name, n.parse()) {
            ("settle", Ok(n)) => channel.settle(n),
            ("listen", Ok(n)) => channel.listen(n),
            ("give-up", Ok(n)) => channel.give_up(n),
            ("ask", _) => channel.ask(),
            _ => channel.line(line),
        }
    }
    channel.end();
}
