//! The same as [`opening`](crate::opening), with steps that make sense more often than not.
//!
//! A fuzzer that changes bytes seldom hits upon two requests with one id, or a batch in the one revision that has
//! them. Here its bytes choose among whole messages instead.

use libfuzzer_sys::arbitrary::{Result, Unstructured};

use crate::channel_model::Watched;

const IDS: [&str; 8] = ["1", "2", "\"1\"", "\"a\"", "18446744073709551616", "null", "1.5", "-0"];

const METHODS: [&str; 10] = [
    "initialize",
    "ping",
    "tools/call",
    "tools/list",
    "server/discover",
    "subscriptions/listen",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "x/unknown",
];

const REVISIONS: [&str; 7] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01", ""];

/// Members of `_meta`.
const META: [&str; 6] = [
    r#""io.modelcontextprotocol/clientCapabilities":{}"#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"}"#,
    r#""io.modelcontextprotocol/logLevel":"debug""#,
    r#""io.modelcontextprotocol/logLevel":1"#,
    r#""progressToken":1"#,
    r#""progressToken":{}"#,
];

/// Checks one conversation that the bytes choose.
pub fn check(input: &[u8]) {
    let mut choices = Unstructured::new(input);
    let mut channel = Watched::new();
    while !choices.is_empty() {
        if step(&mut choices, &mut channel).is_err() {
            break;
        }
    }
    channel.end();
}

fn step(choices: &mut Unstructured<'_>, channel: &mut Watched) -> Result<()> {
    match choices.int_in_range(0..=9)? {
        0 => channel.settle(choices.int_in_range(0..=7)?),
        1 => channel.listen(choices.int_in_range(0..=7)?),
        2 => channel.ask(),
        3 => channel.give_up(choices.int_in_range(0..=3)?),
        4 => channel.line(choices.arbitrary::<&[u8]>()?),
        5 | 6 => {
            let count = choices.int_in_range(0..=4)?;
            let members = (0..count).map(|_| message(choices)).collect::<Result<Vec<_>>>()?;
            channel.line(format!("[{}]", members.join(",")).as_bytes());
        }
        _ => channel.line(message(choices)?.as_bytes()),
    }
    Ok(())
}

fn message(choices: &mut Unstructured<'_>) -> Result<String> {
    let version = if choices.ratio(1, 12)? { "1.0" } else { "2.0" };
    let mut members = vec![format!(r#""jsonrpc":"{version}""#)];
    if choices.ratio(4, 5)? {
        members.push(format!(r#""id":{}"#, choices.choose(&IDS)?));
    }
    if choices.ratio(4, 5)? {
        members.push(format!(r#""method":"{}""#, choices.choose(&METHODS)?));
        if choices.ratio(3, 4)? {
            members.push(format!(r#""params":{}"#, params(choices)?));
        }
    }
    if choices.ratio(1, 5)? {
        members.push(
            choices
                .choose(&[r#""result":{}"#, r#""error":{"code":1,"message":""}"#, r#""error":[1,""]"#])?
                .to_string(),
        );
    }
    if choices.ratio(1, 20)? {
        let again = choices.choose(&members)?.clone();
        members.push(again);
    }
    Ok(format!("{{{}}}", members.join(",")))
}

fn params(choices: &mut Unstructured<'_>) -> Result<String> {
    Ok(match choices.int_in_range(0..=5)? {
        0 => "[]".to_owned(),
        1 => format!(r#"{{"requestId":{}}}"#, choices.choose(&IDS)?),
        2 => {
            let deep = usize::from(choices.arbitrary::<u8>()?) / 16;
            format!(r#"{{"a":{}{}}}"#, "[".repeat(deep), "]".repeat(deep))
        }
        3 => format!(
            r#"{{"protocolVersion":"{}","capabilities":{{}},"clientInfo":{{"name":"x","version":"1"}}}}"#,
            choices.choose(&REVISIONS)?
        ),
        _ => {
            let mut meta = Vec::new();
            if choices.ratio(3, 4)? {
                let revision = choices.choose(&REVISIONS)?;
                meta.push(format!(r#""io.modelcontextprotocol/protocolVersion":"{revision}""#));
            }
            for member in META {
                if choices.ratio(1, 3)? {
                    meta.push(member.to_owned());
                }
            }
            format!(r#"{{"_meta":{{{}}}}}"#, meta.join(","))
        }
    })
}
