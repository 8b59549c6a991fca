//! Whole messages: every request, notification and response, in its envelope.

use std::collections::BTreeMap;

use hermes_types::{
    ErrorObject, Fault, FaultKind, Method, OutgoingNotification, OutgoingRequest, OutgoingResponse, RawJson,
    RequestId, Revision, Sender,
};
use serde_json::{Value, json};

use crate::folder::{Schema, schemas};
use crate::subjects::subjects;

/// The types of the parameters of a method.
pub(crate) fn params_of(method: Method) -> &'static [&'static str] {
    match method {
        Method::Initialize => &["InitializeRequestParams"],
        Method::Ping | Method::ServerDiscover | Method::RootsList => &["RequestParams"],
        Method::ToolsList
        | Method::ResourcesList
        | Method::ResourcesTemplatesList
        | Method::PromptsList
        | Method::TasksList => &["PaginatedRequestParams"],
        Method::ToolsCall => &["CallToolRequestParams"],
        Method::ResourcesRead => &["ReadResourceRequestParams"],
        Method::ResourcesSubscribe | Method::ResourcesUnsubscribe => &["SubscribeRequestParams"],
        Method::SubscriptionsListen => &["SubscriptionsListenRequestParams"],
        Method::PromptsGet => &["GetPromptRequestParams"],
        Method::CompletionComplete => &["CompleteRequestParams"],
        Method::LoggingSetLevel => &["SetLevelRequestParams"],
        Method::TasksGet | Method::TasksResult | Method::TasksCancel => &["GetTaskRequestParams"],
        Method::TasksUpdate => &["UpdateTaskRequestParams"],
        Method::SamplingCreateMessage => &["CreateMessageRequestParams"],
        Method::ElicitationCreate => &["ElicitRequestFormParams", "ElicitRequestUrlParams"],
        Method::Initialized
        | Method::RootsListChanged
        | Method::ResourcesListChanged
        | Method::ToolsListChanged
        | Method::PromptsListChanged => &["NotificationParams"],
        Method::Cancelled => &["CancelledNotificationParams"],
        Method::Progress => &["ProgressNotificationParams"],
        Method::LogMessage => &["LoggingMessageNotificationParams"],
        Method::ResourcesUpdated => &["ResourceUpdatedNotificationParams"],
        Method::ElicitationComplete => &["ElicitationCompleteNotificationParams"],
        Method::TasksStatus | Method::Tasks => &["TaskStatusNotificationParams"],
        Method::SubscriptionsAcknowledged => &["SubscriptionsAcknowledgedNotificationParams"],
        other => panic!("{other:?} has no parameters here"),
    }
}

/// A message with these parameters, as it goes over the wire.
fn message(method: Method, params: &Value, revision: Revision) -> Value {
    let id = RequestId::from(1);
    if method.is_notification() {
        json!(OutgoingNotification { method: method.as_str(), params: Some(params) })
    } else if revision.is_modern() && method.sender() == Sender::Server {
        // Embedded in a result, without envelope.
        json!({ "method": method.as_str(), "params": params })
    } else {
        json!(OutgoingRequest { id: &id, method: method.as_str(), params: Some(params) })
    }
}

/// The definitions that name a method, by their names.
fn messages(schema: &Schema) -> BTreeMap<String, String> {
    let method = |definition: &Value| definition["properties"]["method"]["const"].as_str().map(str::to_owned);
    schema.definitions().iter().filter_map(|(name, part)| Some((name.clone(), method(part)?))).collect()
}

#[test]
fn every_request_and_notification_is_valid_in_its_envelope() {
    let subjects = subjects();
    for schema in schemas() {
        let revision = schema.revision;
        let mut compared = 0;
        for (name, method) in messages(&schema) {
            let method = Method::parse(&method).unwrap_or_else(|| panic!("{method} is not in the table"));
            assert!(method.is_defined(revision), "{method:?} in {revision}");
            for params in params_of(method) {
                let subject = subjects.iter().find(|subject| subject.table.name == *params).expect(params);
                if !subject.table.has(revision) {
                    continue;
                }
                let message = message(method, &(subject.encoded)(revision), revision);
                assert_eq!(schema.errors(&name, &message), Vec::<String>::new(), "{name} in {revision}");
                compared += 1;
            }
        }
        assert!(compared >= 20, "only {compared} in {revision}");
    }
}

#[test]
fn the_method_table_names_the_methods_that_the_schemas_name() {
    for schema in schemas() {
        let named: Vec<Method> =
            messages(&schema).values().map(|method| Method::parse(method).expect("known")).collect();
        for method in Method::ALL.iter().filter(|method| method.is_defined(schema.revision)) {
            let extension = schema.revision.is_modern()
                && matches!(
                    method,
                    Method::TasksGet | Method::TasksUpdate | Method::TasksCancel | Method::Tasks
                );
            assert!(named.contains(method) != extension, "{method:?} in {}", schema.revision);
        }
    }
}

#[test]
fn every_result_is_valid_in_its_envelope() {
    let subjects = subjects();
    let id = RequestId::from("a");
    for schema in schemas() {
        let revision = schema.revision;
        let envelope = if schema.find("JSONRPCResultResponse").is_some() {
            "JSONRPCResultResponse"
        } else {
            "JSONRPCResponse"
        };
        let results = subjects.iter().filter(|subject| {
            subject.table.name.ends_with("Result") && schema.find(subject.place(revision)).is_some()
        });
        let mut compared = 0;
        for subject in results {
            let result = (subject.encoded)(revision);
            let response = json!(OutgoingResponse { id: Some(&id), outcome: Ok(result) });
            let mut places = vec![envelope.to_owned(), format!("{}Response", subject.table.name)];
            places.retain(|place| schema.find(place).is_some());
            if revision.is_modern() && response["result"].get("resultType").is_none() {
                continue; // Embedded answers have no envelope.
            }
            for place in places {
                assert_eq!(schema.errors(&place, &response), Vec::<String>::new(), "{place} in {revision}");
                compared += 1;
            }
        }
        assert!(compared >= 10, "only {compared} in {revision}");
    }
}

// spec: R009, R010
#[test]
fn every_fault_is_a_valid_error_of_its_revision() {
    for schema in schemas() {
        let revision = schema.revision;
        let (envelope, id) = match schema.find("JSONRPCErrorResponse") {
            Some(_) => ("JSONRPCErrorResponse", None),
            None => ("JSONRPCError", Some(RequestId::from(1))),
        };
        let faults = FaultKind::ALL.map(|kind| Fault::new(kind, "no").with_data(&json!({ "a": 1 })));
        for fault in faults {
            let error = fault.to_error(revision);
            let response = json!(OutgoingResponse::<()> { id: id.as_ref(), outcome: Err(&error) });
            assert_eq!(schema.errors(envelope, &response), Vec::<String>::new(), "{fault:?} in {revision}");
        }
    }
}

#[test]
fn the_errors_with_definitions_of_their_own_are_valid() {
    let page = hermes_types::ElicitRequestUrlParams::new("m", "https://a.example/", "e");
    let faults = [
        ("ParseError", Fault::parse_error("no"), false),
        ("InvalidRequestError", Fault::invalid_request("no"), false),
        ("MethodNotFoundError", Fault::method_not_found("a"), false),
        ("InvalidParamsError", Fault::invalid_params("no"), false),
        ("InternalError", Fault::internal_error("no"), false),
        ("HeaderMismatchError", Fault::new(FaultKind::HeaderMismatch, "no"), true),
        ("UnsupportedProtocolVersionError", Fault::unsupported_revision("a", &Revision::MODERN), true),
        (
            "MissingRequiredClientCapabilityError",
            Fault::missing_client_capability("no", hermes_types::ClientCapabilities::default()),
            true,
        ),
        ("URLElicitationRequiredError", Fault::url_elicitation_required("no", vec![page]), true),
    ];
    for schema in schemas() {
        for (name, fault, whole) in &faults {
            if schema.find(name).is_none() {
                continue;
            }
            let error: ErrorObject = fault.to_error(schema.revision);
            let value = match whole {
                true => json!(OutgoingResponse::<RawJson> { id: None, outcome: Err(&error) }),
                false => json!(error),
            };
            assert_eq!(schema.errors(name, &value), Vec::<String>::new(), "{name} in {}", schema.revision);
        }
    }
}
