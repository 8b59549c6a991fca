//! Types and their members: what the tables say is what the schemas say.

use std::collections::BTreeSet;

use hermes_types::Revision;
use hermes_types::tables::TABLES;
use serde_json::Value;

use crate::folder::{Schema, schemas};
use crate::subject::Subject;
use crate::subjects::subjects;

/// Types that an extension describes in 2026-07-28, or only prose; the schemas do not have them.
const OUTSIDE: &[&str] = &[
    "GetTaskRequestParams",
    "ResourceNotFoundData",
    "Task",
    "TaskResult",
    "TaskStatusNotificationParams",
    "UpdateTaskRequestParams",
];

/// Members that are written although the schema of that revision does not list them, and why.
const BEYOND: &[(&str, &str, &str)] = &[
    (
        "ClientCapabilities",
        "extensions",
        "extensions of 2025-11-25 are agreed on by it, before it was listed",
    ),
    (
        "ServerCapabilities",
        "extensions",
        "extensions of 2025-11-25 are agreed on by it, before it was listed",
    ),
    ("Meta", "baggage", "the prose reserves it"),
    ("Meta", "io.modelcontextprotocol/model-immediate-response", "the prose reserves it"),
    ("Meta", "io.modelcontextprotocol/related-task", "the prose reserves it"),
    ("Meta", "io.modelcontextprotocol/serverInfo", "on results"),
    ("Meta", "io.modelcontextprotocol/subscriptionId", "on notifications"),
    ("Meta", "traceparent", "the prose reserves it"),
    ("Meta", "tracestate", "the prose reserves it"),
    ("SubscriptionFilter", "taskIds", "the extension for tasks adds it"),
];

/// Members that a schema lists and that are not written for it, and why.
const ELSEWHERE: &[(&str, &str, &str)] = &[(
    "UntitledSingleSelectEnumSchema",
    "enumNames",
    "2025-06-18 has one schema for choices with and without titles; LegacyTitledEnumSchema has them",
)];

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().expect("an object").keys().cloned().collect()
}

/// Whether a member is written on purpose although the schema does not list it.
fn beyond(schema: &Schema, subject: &Subject, member: &str) -> bool {
    // Up to 2025-06-18 the parameters of a message do not list what those of all messages have.
    let base = ["Request", "Notification"].map(|base| {
        let name = subject.table.name;
        (name.ends_with("Params") && name.contains(base))
            .then(|| schema.find(&format!("{base}/properties/params")))
            .flatten()
            .is_some_and(|params| schema.properties(params).iter().any(|name| name == member))
    });
    // The messages about tasks do not even in 2025-11-25.
    let of_all = ["RequestParams", "NotificationParams"].map(|base| {
        subject.table.name.ends_with(base)
            && schema.find(base).is_some_and(|params| schema.properties(params).iter().any(|n| n == member))
    });
    base.contains(&true)
        || of_all.contains(&true)
        || BEYOND.iter().any(|(name, beyond, _)| (*name, *beyond) == (subject.table.name, member))
}

#[test]
fn every_type_with_a_table_is_compared() {
    let compared: BTreeSet<&str> = subjects().iter().map(|subject| subject.table.name).collect();
    let listed: BTreeSet<&str> = TABLES.iter().map(|table| table.name).collect();
    assert_eq!(compared, listed);
}

#[test]
fn a_full_value_has_exactly_the_members_of_its_table() {
    for subject in subjects() {
        for revision in Revision::ALL.into_iter().filter(|revision| subject.table.has(*revision)) {
            let expected: BTreeSet<String> = subject
                .table
                .members_of(revision)
                .chain(subject.table.tag.map(|(tag, _)| tag))
                .map(str::to_owned)
                .collect();
            let emitted = keys(&(subject.encoded)(revision));
            if let Some((tag, kind)) = subject.table.tag {
                assert_eq!((subject.encoded)(revision)[tag], kind, "{}", subject.table.name);
            }
            assert_eq!(emitted, expected, "{} in {revision}", subject.table.name);
        }
    }
}

#[test]
fn a_type_is_in_the_schemas_of_just_the_revisions_that_its_table_says() {
    for schema in schemas() {
        for subject in subjects() {
            let found = schema.find(subject.place(schema.revision)).is_some();
            let expected = subject.table.has(schema.revision);
            let outside = OUTSIDE.contains(&subject.table.name) && !found;
            assert!(found == expected || outside, "{} in {}", subject.table.name, schema.revision);
        }
    }
}

#[test]
fn a_full_value_is_valid_and_has_all_members_that_the_schema_lists_and_no_other() {
    let mut problems = Vec::new();
    for schema in schemas() {
        let revision = schema.revision;
        for subject in subjects().into_iter().filter(|subject| subject.table.has(revision)) {
            let place = subject.place(revision);
            let Some(part) = schema.find(place) else { continue };
            let value = (subject.encoded)(revision);
            let name = subject.table.name;
            problems.extend(
                schema.errors(place, &value).iter().map(|error| format!("{name} {revision}: {error}")),
            );
            let emitted = keys(&value);
            let listed: BTreeSet<String> = schema.properties(part).into_iter().collect();
            for member in emitted.difference(&listed).filter(|member| !beyond(&schema, &subject, member)) {
                problems.push(format!("{name} {revision}: `{member}` is not in the schema"));
            }
            let elsewhere =
                |member: &&String| ELSEWHERE.iter().any(|known| (known.0, known.1) == (name, *member));
            for member in listed.difference(&emitted).filter(|member| !elsewhere(member)) {
                problems.push(format!("{name} {revision}: `{member}` is missing"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_comparison_notices_what_is_wrong() {
    for schema in schemas() {
        let mut tool =
            (subjects().iter().find(|subject| subject.table.name == "Tool").expect("Tool").encoded)(
                schema.revision,
            );
        assert_eq!(schema.errors("Tool", &tool), Vec::<String>::new());
        tool["name"] = Value::from(5);
        tool["inputSchema"]["type"] = Value::from("array");
        assert_eq!(schema.errors("Tool", &tool).len(), 2, "{}", schema.revision);
    }
}
